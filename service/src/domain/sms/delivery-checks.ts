import { withTimeout, type Clock } from '../../clock.ts'
import type { Sms, SmsDeliveryReport, SmsDeliveryState } from '../../adapters/sms/sms.ts'
import { listUndecidedSms, undecidedSmsMax } from '../../store/sms-sends.ts'
import type { Store } from '../../store/store.ts'

import { storedGatewayId } from './stored-text.ts'

/** Asks gateways that do not report deliveries by themselves what became of their messages. */
export interface DeliveryChecks {
  /** To be called when a message is stored that a gateway accepted; gateways that cannot be asked are passed over. */
  messageStored(gateway: string, gatewayMessageId: string): void
  /** Asks for the messages that are due. To be called every second. Ends early when the signal is aborted. */
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
  /** Called when a gateway gave no usable reply; it is left alone for a while then. */
  readonly onUnavailable: (gateway: string, pauseMs: number) => void
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
      await Promise.all([...checked.values()].map((each) => each.runOnce(stopping)))
    },
    waiting: () => [...checked.values()].reduce((sum, each) => sum + each.waiting, 0),
  })
}

interface WaitingMessage {
  readonly gatewayMessageId: string
  readonly since: number
  dueAt: number
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
    this.#waiting.set(gatewayMessageId, { gatewayMessageId, since, dueAt })
  }

  async runOnce(stopping: AbortSignal): Promise<void> {
    const now = this.#deps.clock.now()
    if (now >= this.#listDueAt || this.#listDueAt > now + listEveryMs) await this.#list(now)
    if (now < this.#pausedUntil && this.#pausedUntil <= now + lastPauseMs) return
    const due = [...this.#waiting.values()].filter(({ dueAt }) => now >= dueAt).sort((a, b) => a.dueAt - b.dueAt)
    const queue = due.slice(0, checksPerRun)
    await Promise.all(Array.from({ length: concurrentChecks }, () => this.#checkAll(queue, stopping)))
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
      const state = await this.#check(message.gatewayMessageId, stopping)
      if (state.outcome === 'unavailable') {
        this.#pause(queue, stopping)
        return
      }
      this.#pauseMs = firstPauseMs
      if (state.outcome === 'pending') this.#postpone(message)
      else await this.#record(message, state)
    }
  }

  #check(gatewayMessageId: string, stopping: AbortSignal): Promise<SmsDeliveryState> {
    const timeout = { clock: this.#deps.clock, timeoutMs: checkTimeoutMs, signal: stopping }
    return withTimeout<SmsDeliveryState>(timeout, { outcome: 'unavailable' }, (signal) => this.#find(gatewayMessageId, signal))
  }

  #postpone(message: WaitingMessage): void {
    const dueAt = nextCheckAt(message.since, this.#deps.clock.now())
    if (dueAt === null) this.#waiting.delete(message.gatewayMessageId)
    else message.dueAt = dueAt
  }

  /** Waited for until it is stored: when the store is away, the gateway is asked again. */
  async #record({ gatewayMessageId }: WaitingMessage, state: Omit<SmsDeliveryReport, 'gatewayMessageId'>): Promise<void> {
    await this.#deps.record(this.#name, { ...state, gatewayMessageId })
    this.#waiting.delete(gatewayMessageId)
  }

  /** Once for all requests of a run; a stop says nothing of the gateway. */
  #pause(queue: WaitingMessage[], stopping: AbortSignal): void {
    queue.length = 0
    if (stopping.aborted) return
    const now = this.#deps.clock.now()
    if (now < this.#pausedUntil) return
    this.#deps.onUnavailable(this.#name, this.#pauseMs)
    this.#pausedUntil = now + this.#pauseMs
    this.#pauseMs = Math.min(this.#pauseMs * 2, lastPauseMs)
  }
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
