import type { CallCost, CallCosts } from './costs.ts'
import { pricedCalls, type Demand, type PricedCall } from './demand.ts'

/** What a demand takes. */
export interface Needs {
  /** Processor cores that are busy in the busiest hour, without reserve. */
  readonly serviceCores: number
  readonly databaseCores: number
  /** Processes of the service: one uses about one core. */
  readonly processes: number
  /** Primaries of PostgreSQL, each with standbys: more than one is Citus. */
  readonly primaries: number
  readonly walMegabytesPerSecond: number
  /** Of tables and indexes after all years of retention. */
  readonly storedTerabytes: number
  /** A full copy of that at the rate of one disk for each primary. */
  readonly backupHours: number
  readonly firstWall: Wall
}

/** What is used up first as the same demand grows. */
export interface Wall {
  readonly what: 'the cores of one primary' | 'the write-ahead log of one primary' | 'the disks of one primary'
  /** How many times the demand it is reached at; below 1 it is behind. */
  readonly atTimes: number
}

/** What the machines can do. A figure of a machine, not of Tessera: put yours. */
export interface Machines {
  /** Of the machine of a primary. */
  readonly primaryCores: number
  /** Of the cores, the share that may be busy in the busiest hour: what is left is for failover, sweeps, backups and growth. */
  readonly busyShare: number
  /** What one primary may write to its log and send to its standbys, MB/s. */
  readonly walMegabytesPerSecond: number
  readonly primaryTerabytes: number
  /** Of a full backup, MB/s. */
  readonly backupMegabytesPerSecond: number
}

export const usualMachines: Machines = Object.freeze({
  primaryCores: 32,
  busyShare: 0.5,
  walMegabytesPerSecond: 100,
  primaryTerabytes: 8,
  backupMegabytesPerSecond: 200,
})

/** Computes what PostgreSQL and the service's processes need for a demand. */
export function computeNeeds(demand: Demand, costs: CallCosts, machines: Machines = usualMachines): Needs {
  const perSecond = (read: (cost: CallCost) => number): number =>
    pricedCalls.reduce((sum, call) => sum + demand.callsPerSecond * demand.mix[call] * read(costs[call]), 0)
  const serviceCores = perSecond((cost) => cost.serviceMicros) / 1e6
  const databaseCores = perSecond((cost) => cost.databaseMicros) / 1e6
  const walMegabytesPerSecond = perSecond((cost) => cost.walBytes) / 1e6
  const seconds = demand.years * secondsAYear * demand.averageLoad
  const callsMade = (call: PricedCall): number => demand.callsPerSecond * demand.mix[call] * seconds
  // A registration leaves a card, with its code and its audit; what of them exceeds the cards at once was removed, and is counted as if it were still stored.
  const registered = Math.max(demand.cards, callsMade('cards.create'))
  const registrationBytes = registration.reduce((sum, call) => sum + costs[call].storedBytes, 0)
  const paymentBytes = payment.reduce((sum, call) => sum + callsMade(call) * costs[call].storedBytes, 0)
  const storedTerabytes = (registered * registrationBytes + paymentBytes) / 1e12
  const walls: readonly [Wall['what'], number][] = [
    ['the cores of one primary', databaseCores / (machines.primaryCores * machines.busyShare)],
    ['the write-ahead log of one primary', walMegabytesPerSecond / machines.walMegabytesPerSecond],
    ['the disks of one primary', storedTerabytes / machines.primaryTerabytes],
  ]
  const primaries = Math.max(1, Math.ceil(Math.max(...walls.map(([, used]) => used))))
  const [what, used] = walls.reduce((most, each) => (each[1] > most[1] ? each : most))
  return {
    serviceCores,
    databaseCores,
    // Two at least, so that one may stop.
    processes: Math.max(2, Math.ceil(serviceCores / machines.busyShare)),
    primaries,
    walMegabytesPerSecond,
    storedTerabytes,
    backupHours: (storedTerabytes * 1e6) / machines.backupMegabytesPerSecond / primaries / 3600,
    firstWall: { what, atTimes: used === 0 ? Infinity : 1 / used },
  }
}

const payment = ['receipts.create', 'receipts.pay'] as const
const registration = ['cards.create', 'cards.get_verify_code', 'cards.verify'] as const
const secondsAYear = 365 * 86_400
