import { withTimeout, type Clock } from '../../clock.ts'
import type { Sms, SmsDeliveryReport, SmsDeliveryState } from '../../adapters/sms/sms.ts'
import { listUndecidedSms, undecidedSmsMax } from '../../store/sms-sends.ts'
import type { Store } from '../../store/store.ts'

import { storedGatewayId } from './stored-text.ts'

/** Requests what became of messages from gateways that do not report it by themselves. */
export interface DeliveryChecks {
  /** To be called when a message is stored that a gateway accepted; gateways without such a request are passed over. */
  messageStored(gateway: string, gatewayMessageId: string): void
  /** Makes the requests that are due. To be called every second, never twice at the same time. Ends early when the signal is aborted. */
  runOnce(stopping: AbortSignal): Promise<void>
  /** How many messages are waited for. */
  waiting(): number
}

export interface DeliveryCheckDependencies {
  readonly gateways: readonly { readonly name: string; readonly port: Pick<Sms, 'findDelivery'> }[]
  /** Stores a final state. */
  readonly record: (gateway: string, report: SmsDeliveryReport) => Promise<void>
  /** For the messages of processes that ended. */
  readonly store: Pick<Store, 'read'>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** Called when a gateway gave no usable reply, or its adapter threw `err`; it gets no request during the pause. */
  readonly onUnavailable: (gateway: string, pauseMs: number, err: unknown) => void
}

export function makeDeliveryChecks({ gateways, ...deps }: DeliveryCheckDependencies): DeliveryChecks {
  const checked = new Map<string, GatewayChecks>()
  for (const { name, port } of gateways) {
    const find = port.findDelivery?.bind(port)
    if (find !== undefined) checked.set(name, new GatewayChecks(name, find, deps))
  }
  return Object.freeze<DeliveryChecks>({
    messageStored: (gateway, gatewayMessageId) => checked.get(gateway)?.add(gatewayMessageId, deps.clock.now()),
    async runOnce(stopping) {
      await allEnded([...checked.values()].map((each) => each.runOnce(stopping)))
    },
    waiting: () => [...checked.values()].reduce((sum, each) => sum + each.waiting, 0),
  })
}

type FinalState = Omit<SmsDeliveryReport, 'gatewayMessageId'>

interface WaitingMessage {
  readonly gatewayMessageId: string
  readonly since: number
  dueAt: number
  /** Final, and not stored yet. */
  found: FinalState | null
}

class GatewayChecks {
  readonly #name: string
  readonly #find: NonNullable<Sms['findDelivery']>
  readonly #deps: Omit<DeliveryCheckDependencies, 'gateways'>
  readonly #waiting = new Map<string, WaitingMessage>()
  #listDueAt = 0
  #pausedUntil = 0
  #pauseMs = firstPauseMs

  constructor(name: string, find: NonNullable<Sms['findDelivery']>, deps: Omit<DeliveryCheckDependencies, 'gateways'>) {
    this.#name = name
    this.#find = find
    this.#deps = deps
  }

  get waiting(): number {
    return this.#waiting.size
  }

  add(gatewayMessageId: string, since: number): void {
    if (storedGatewayId(gatewayMessageId) === '' || this.#waiting.has(gatewayMessageId)) return
    const dueAt = nextCheckAt(since, this.#deps.clock.now())
    if (dueAt === null) return
    // The oldest is forgotten; the next listing finds it again if there is room by then.
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size < undecidedSmsMax) break
      this.#waiting.delete(oldest)
    }
    this.#waiting.set(gatewayMessageId, { gatewayMessageId, since, dueAt, found: null })
  }

  async runOnce(stopping: AbortSignal): Promise<void> {
    const now = this.#deps.clock.now()
    if (now >= this.#listDueAt || this.#listDueAt > now + listEveryMs) await this.#list(now)
    const isPaused = this.#isPaused(now)
    const due = [...this.#waiting.values()]
      .filter(({ dueAt, found }) => found !== null || (now >= dueAt && !isPaused))
      .sort((a, b) => a.dueAt - b.dueAt)
    const queue = due.slice(0, checksPerRun)
    await allEnded(Array.from({ length: concurrentChecks }, () => this.#checkAll(queue, stopping)))
  }

  /** Messages that another process sent before it ended, and without those that another process found the outcome of. */
  async #list(now: number): Promise<void> {
    const undecided = await this.#deps.store.read(listUndecidedSms(this.#name, now - checkedForMs))
    const ids = new Set(undecided.map(({ gatewayMessageId }) => gatewayMessageId))
    // A message may have been added while the rows were read.
    for (const { gatewayMessageId, since } of this.#waiting.values())
      if (since < now && !ids.has(gatewayMessageId)) this.#waiting.delete(gatewayMessageId)
    for (const { gatewayMessageId, requestedAt } of undecided.toReversed()) this.add(gatewayMessageId, requestedAt)
    this.#listDueAt = now + listEveryMs
  }

  async #checkAll(queue: WaitingMessage[], stopping: AbortSignal): Promise<void> {
    for (let message = queue.shift(); message !== undefined && !stopping.aborted; message = queue.shift()) {
      const state = message.found ?? (await this.#check(message.gatewayMessageId, stopping))
      if (state.outcome === 'unavailable') {
        this.#pause(queue, stopping, state.err)
        return
      }
      if (message.found === null) this.#pauseMs = firstPauseMs
      if (state.outcome === 'pending') this.#postpone(message)
      else await this.#record(message, state)
    }
  }

  async #check(gatewayMessageId: string, stopping: AbortSignal): Promise<SmsDeliveryState & { readonly err?: unknown }> {
    const timeout = { clock: this.#deps.clock, timeoutMs: checkTimeoutMs, signal: stopping }
    try {
      return await withTimeout<SmsDeliveryState>(timeout, { outcome: 'unavailable' }, (signal) => this.#find(gatewayMessageId, signal))
    } catch (err) {
      return { outcome: 'unavailable', err }
    }
  }

  #postpone(message: WaitingMessage): void {
    const dueAt = nextCheckAt(message.since, this.#deps.clock.now())
    if (dueAt === null) this.#waiting.delete(message.gatewayMessageId)
    else message.dueAt = dueAt
  }

  /** Held until it is stored: while the store is away, the gateway gets no further request for it. */
  async #record(message: WaitingMessage, state: FinalState): Promise<void> {
    const { gatewayMessageId } = message
    message.found = state
    await this.#deps.record(this.#name, { ...state, gatewayMessageId })
    this.#waiting.delete(gatewayMessageId)
  }

  /** Once for all requests of a run; a stop says nothing of the gateway. */
  #pause(queue: WaitingMessage[], stopping: AbortSignal, err: unknown): void {
    queue.length = 0
    if (stopping.aborted) return
    const now = this.#deps.clock.now()
    if (this.#isPaused(now)) return
    this.#deps.onUnavailable(this.#name, this.#pauseMs, err)
    this.#pausedUntil = now + this.#pauseMs
    this.#pauseMs = Math.min(this.#pauseMs * 2, lastPauseMs)
  }

  /** A pause that is longer than any was begun by a clock that has been set back since. */
  #isPaused(now: number): boolean {
    return now < this.#pausedUntil && this.#pausedUntil <= now + lastPauseMs
  }
}

/** Throws the first error, after all have ended, so that none goes on beside the next run. */
async function allEnded(running: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(running)
  await Promise.all(running)
}

/** 10 s, 20 s, 40 s … after the message; null when it is too old. */
function nextCheckAt(since: number, now: number): number | null {
  for (let afterMs = firstCheckMs; afterMs <= checkedForMs; afterMs *= 2) if (since + afterMs > now) return since + afterMs
  return null
}

const firstCheckMs = 10_000
/** A code is of no use after minutes, but gateways deliver for a day or more, and support is told what became of it. */
const checkedForMs = 86_400_000
const listEveryMs = 3_600_000
const checkTimeoutMs = 10_000
/** With `concurrentChecks`, what an account that also sends messages bears. */
const checksPerRun = 40
const concurrentChecks = 4
const firstPauseMs = 30_000
const lastPauseMs = 900_000
