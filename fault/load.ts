import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionLost } from './connection.ts'
import { makeLedger, type Deed, type Fate, type Ledger } from './ledger.ts'
import { makeRandom, type Random } from './random.ts'
import { openWire, tokenOf, type Outcome, type Wire, type WireStart } from './wire.ts'

export interface Load extends WireStart {
  readonly connections: number
  readonly ledger: Ledger
  readonly random: Random
  /** Aborted when enough was sent; the calls under way are still waited for. */
  readonly until: AbortSignal
  /** Whether an acknowledgement of this moment is none: what it is of may have happened or not. */
  readonly isDoubted?: () => boolean
  /** Told of every call: its outcome and how long it took. */
  readonly answered?: (outcome: Outcome, ms: number) => void
  /** The longest pause between two calls of one connection; none by default. */
  readonly pauseMsMax?: number
}

/** What was refused, by reason, with how often. */
export type Refusals = Map<string, number>

/**
 * Sends cards on their way — created, code asked for, verified, some removed — over several connections, writing every answer into the ledger,
 * until it is told to end or the service is gone.
 */
export async function runLoad(load: Load): Promise<Refusals> {
  const refusals: Refusals = new Map()
  await Promise.all(Array.from({ length: load.connections }, () => runConnection(load, refusals)))
  return refusals
}

/** Sends cards until one is made, and tells in ms how long that took. Throws when none could be made for `msMax`. */
export async function untilCardMade(start: WireStart, msMax: number): Promise<number> {
  const startedAt = performance.now()
  const ledger = makeLedger()
  while (ledger.fates.length === 0) {
    if (performance.now() - startedAt > msMax) throw new Error(`no card could be made for ${msMax} ms after the fault was over`)
    const once = new AbortController()
    const answered = (): void => once.abort()
    await runLoad({ ...start, connections: 1, ledger, random: makeRandom(1), until: once.signal, answered })
  }
  return performance.now() - startedAt
}

async function runConnection(load: Load, refusals: Refusals): Promise<void> {
  const wire = await openWire(load).catch((err: unknown) => {
    if (err instanceof ConnectionLost) return null
    throw err
  })
  if (wire === null) return
  try {
    while (!load.until.aborted && (await sendCard(wire, load, refusals)));
  } finally {
    wire.close()
  }
}

/** One card's way, or as much of it as there is time for. False when the service is gone. */
async function sendCard(wire: Wire, load: Load, refusals: Refusals): Promise<boolean> {
  const { ledger, random, until, isDoubted = never, pauseMsMax = 0 } = load
  const pan = random.chance(0.5) ? networkSendsPan : weSendPan
  const created = await clocked(load, () => wire.create(pan))
  if (created.kind !== 'result') return note(created, refusals)
  if (isDoubted()) return true
  const fate = ledger.created(tokenOf(created.result))
  for (const deed of drawDeeds(random)) {
    if (pauseMsMax > 0) await pause(random.between(0, pauseMsMax))
    if (until.aborted) return true
    fate[deed] = 'asked'
    const outcome = await clocked(load, () => ask(wire, deed, fate))
    if (outcome.kind !== 'result') return note(outcome, refusals)
    if (isDoubted()) return true
    fate[deed] = 'acknowledged'
  }
  return true
}

const never = (): boolean => false

async function clocked({ answered }: Load, call: () => Promise<Outcome>): Promise<Outcome> {
  const startedAt = performance.now()
  const outcome = await call()
  answered?.(outcome, performance.now() - startedAt)
  return outcome
}

/** Cards stop at every stage of their way, so that each stage is there to be lost. */
function drawDeeds(random: Random): readonly Deed[] {
  const drawn = random.next()
  if (drawn < 0.2) return []
  if (drawn < 0.3) return ['remove']
  if (drawn < 0.45) return ['code']
  if (drawn < 0.85) return ['code', 'verify']
  return ['code', 'verify', 'remove']
}

function ask(wire: Wire, deed: Deed, { token }: Fate): Promise<Outcome> {
  switch (deed) {
    case 'code':
      return wire.askCode(token)
    case 'verify':
      return wire.verify(token, sandboxCode)
    case 'remove':
      return wire.remove(token)
  }
}

function note(outcome: Outcome, refusals: Refusals): boolean {
  if (outcome.kind === 'refused') refusals.set(outcome.reason, (refusals.get(outcome.reason) ?? 0) + 1)
  return outcome.kind !== 'lost'
}

/** Public cards of the test environment; the network of the first sends the code itself, for the second we send it. */
export const networkSendsPan = '8600069195406311'
export const weSendPan = '8600495473316478'
/** The fixed code of the test environment. */
export const sandboxCode = '666666'
