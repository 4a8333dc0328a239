import type { CallCost, CallCosts } from './costs.ts'
import { mixOf, pricedCalls, secondsAYear, type Demand, type PricedCall } from './demand.ts'

/** What a demand takes. */
export interface Needs {
  /** Processor cores that are busy in the busiest hour, without reserve. */
  readonly serviceCores: number
  readonly databaseCores: number
  /** Threads that answer, in one service or several: each uses about one core. */
  readonly workers: number
  /** Of all services, with the connections of clients. */
  readonly serviceMemoryGigabytes: number
  /** What `max_connections` has to allow, over all services. */
  readonly databaseConnections: number
  /** Primaries of PostgreSQL, each with standbys: more than one is Citus, which is not ready in this version. */
  readonly primaries: number
  readonly walMegabytesPerSecond: number
  /** What an archive of the log grows by, uncompressed. */
  readonly walTerabytesADay: number
  /** Of tables and indexes after all years of retention: cards with their registration, and payments. */
  readonly cardTerabytes: number
  readonly paymentTerabytes: number
  /** Of all primaries at once, at the rate of one backup for each. A restore takes about as long, and then the log since. */
  readonly backupHours: number
  /** A check of the figures that were asked for: a card that pays a thousand times a month does not exist. */
  readonly paymentsOfCardAMonth: number
  /** What ends, the first that does first. */
  readonly walls: readonly Wall[]
}

export type WallName = keyof typeof wallNames

/** Something that has an end as the same demand grows. */
export interface Wall {
  readonly name: WallName
  /** How many times the demand it is reached at; below 1 it is behind. */
  readonly atTimes: number
}

/** In words, and what moves each. */
export const wallNames = {
  cores: { what: 'the cores of one primary', remedy: 'a larger machine. Several primaries, by bucket, are not ready in this version' },
  log: {
    what: 'the write-ahead log of one primary',
    remedy: 'faster disks and lines to the standbys. Several primaries, by bucket, are not ready in this version',
  },
  disks: {
    what: 'the disks of one primary',
    remedy: 'more disk, or fewer years of receipts and audit. Several primaries, by bucket, are not ready in this version',
  },
  largestMerchant: {
    what: 'the primary of the largest merchant',
    remedy: 'a larger machine for it, or an installation of its own: one merchant is in one bucket, and a bucket on one primary',
  },
  sweeper: {
    what: 'the sweeper of one process',
    remedy: 'nothing else is needed: cards that have ended are refused before they are swept',
  },
} as const

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
  /** Connections of clients that are open at once. */
  readonly clientConnections: number
  /** Of all calls, the share of the bucket with the most (`simulateShards`). */
  readonly hottestBucket: number
}

/** 1,000 merchants by Zipf's law: see `simulateShards`. */
export const usualMachines: Machines = Object.freeze({
  primaryCores: 32,
  busyShare: 0.5,
  walMegabytesPerSecond: 100,
  primaryTerabytes: 8,
  backupMegabytesPerSecond: 200,
  clientConnections: 1000,
  hottestBucket: 0.134,
})

/** Computes what PostgreSQL and the service need for a demand. Throws `ImpossibleDemand`. */
export function computeNeeds(demand: Demand, costs: CallCosts, machines: Machines = usualMachines): Needs {
  const mix = mixOf(demand)
  const perSecond = (read: (cost: CallCost) => number): number =>
    pricedCalls.reduce((sum, call) => sum + demand.callsPerSecond * mix[call] * read(costs[call]), 0)
  const serviceCores = perSecond((cost) => cost.serviceMicros) / 1e6
  const databaseCores = perSecond((cost) => cost.databaseMicros) / 1e6
  const walMegabytesPerSecond = perSecond((cost) => cost.walBytes) / 1e6
  const averageCalls = (call: PricedCall): number => demand.callsPerSecond * mix[call] * demand.averageLoad
  const bytesOf = (calls: readonly PricedCall[]): number => calls.reduce((sum, call) => sum + costs[call].storedBytes, 0)
  const yearsSeconds = demand.years * secondsAYear
  // A card that has ended leaves its row, without the number, and its audit.
  const cardTerabytes = ((demand.cards + averageCalls('cards.create') * yearsSeconds) * bytesOf(registration)) / 1e12
  const paymentTerabytes = payment.reduce((sum, call) => sum + averageCalls(call) * yearsSeconds * bytesOf([call]), 0) / 1e12
  const storedTerabytes = cardTerabytes + paymentTerabytes
  const ofPrimary = [
    ['cores', databaseCores / (machines.primaryCores * machines.busyShare)],
    ['log', walMegabytesPerSecond / machines.walMegabytesPerSecond],
    ['disks', storedTerabytes / machines.primaryTerabytes],
  ] as const
  const mostUsed = Math.max(...ofPrimary.map(([, used]) => used))
  const used: readonly (readonly [WallName, number])[] = [
    ...ofPrimary,
    ['largestMerchant', mostUsed * machines.hottestBucket],
    ['sweeper', averageCalls('cards.create') / sweptPerSecond],
  ]
  const primaries = Math.max(1, Math.ceil(mostUsed))
  // Two at least, so that one may stop.
  const workers = Math.max(2, Math.ceil(serviceCores / machines.busyShare))
  return {
    serviceCores,
    databaseCores,
    workers,
    serviceMemoryGigabytes: workers * workerGigabytes + machines.clientConnections * connectionGigabytes,
    databaseConnections: workers * workerConnections,
    primaries,
    walMegabytesPerSecond,
    walTerabytesADay: (walMegabytesPerSecond * demand.averageLoad * 86_400) / 1e6,
    cardTerabytes,
    paymentTerabytes,
    backupHours: (storedTerabytes * 1e6) / machines.backupMegabytesPerSecond / primaries / 3600,
    paymentsOfCardAMonth: (averageCalls('receipts.pay') * secondsAYear) / 12 / demand.cards,
    walls: used
      .map(([name, share]) => ({ name, atTimes: share === 0 ? Infinity : 1 / share }))
      .sort((one, other) => one.atTimes - other.atTimes),
  }
}

const payment = ['receipts.create', 'receipts.pay'] as const
const registration = ['cards.create', 'cards.get_verify_code', 'cards.verify'] as const

/** Measured: `npm run bench -- memory` (resident after work, of a service with one worker), `idle-connections`, and docs/operating/workers.md for the connections. */
const workerGigabytes = 0.22
const connectionGigabytes = 20e-6
const workerConnections = 7
/** Measured: `npm run bench -- sweep` on PostgreSQL. */
const sweptPerSecond = 4560
