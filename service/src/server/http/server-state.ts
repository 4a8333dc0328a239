import type { RequestHandler } from '../pipeline.ts'
import { AddressTable, type AddressEntry } from './address-table.ts'
import type { TrustedProxies } from './client-address.ts'
import type { ApiSocket } from './connections.ts'
import type { LoadShedder } from './load-shedding.ts'
import type { MemoryBudget } from './memory-budget.ts'
import type { TurnBudget } from './turn-budget.ts'
import type { UnreadReplies } from './unread-replies.ts'

/** What all requests of a server share. */
export interface ServerState {
  readonly handle: RequestHandler
  /** For the log: an unexpected error. */
  readonly onError: (cause: unknown) => void
  /** For metric and log: a client went away, which is no error. */
  readonly onAbort: (stage: AbortStage) => void
  /** Milliseconds of a monotonic clock; null: it is not measured when heads are read. */
  readonly now: (() => number) | null
  /** Unix milliseconds of the machine, for the header Date. */
  readonly wallNow: () => number
  /** When requests are begun. */
  readonly turns: TurnBudget
  /** Which connections are read. */
  readonly shedder: LoadShedder
  readonly proxies: TrustedProxies
  /** Whether the API is served on a host, by the Host header. */
  readonly isApiHost: (host: string | null) => boolean
  /** Names and values of headers that every reply gets, besides its own. */
  readonly addedHeaders: readonly string[]
  /** What is held for clients, in bytes. */
  readonly memory: MemoryBudget
  readonly unreadReplies: UnreadReplies
  /** API requests that are being handled. */
  readonly inFlight: InFlight
  /** Requests, those of pages included, whose response is not complete. */
  open: number
  /** Each reply closes its connection: while clients are moved to another process, and while draining. */
  closesConnections: boolean
  isDraining: boolean
  /** Called when the last open request is done; set while draining. */
  idle: (() => void) | null
}

/** When the client closed its connection: before its request had arrived in full, or before it had its reply. */
export type AbortStage = 'request' | 'reply'

export function createServerState(
  options: Omit<ServerState, 'inFlight' | 'open' | 'closesConnections' | 'isDraining' | 'idle'>,
  bounds: InFlightBounds,
): ServerState {
  return { ...options, inFlight: new InFlight(bounds), open: 0, closesConnections: false, isDraining: false, idle: null }
}

/** Called once for each open request, when it is done. */
export function endRequest(state: ServerState): void {
  state.open--
  if (state.open === 0) state.idle?.()
}

export interface InFlightBounds {
  readonly inFlightMax: number
  readonly inFlightPerConnectionMax: number
  readonly inFlightPerAddressMax: number
}

/** Counts the requests that are being handled: in total, per connection (pipelining allows several) and per address or IPv6 /64. */
export class InFlight {
  total = 0
  readonly #bounds: InFlightBounds
  readonly #addresses = new AddressTable<AddressEntry>(() => ({ open: 0 }))

  constructor(bounds: InFlightBounds) {
    this.#bounds = bounds
  }

  /** Counts a request until `leave`. At a limit it returns which one, and counts nothing. */
  enter(socket: InFlightCounts, address: string): 'overloaded' | 'connectionBusy' | 'addressBusy' | null {
    const { inFlightMax, inFlightPerConnectionMax, inFlightPerAddressMax } = this.#bounds
    const ofConnection = socket[calls] ?? 0
    const ofAddress = this.#addresses.find(address)?.open ?? 0
    if (this.total >= inFlightMax) return 'overloaded'
    if (ofConnection >= inFlightPerConnectionMax) return 'connectionBusy'
    if (ofAddress >= inFlightPerAddressMax) return 'addressBusy'
    this.total++
    socket[calls] = ofConnection + 1
    this.#addresses.enter(address)
    return null
  }

  leave(socket: InFlightCounts, address: string): void {
    this.total--
    socket[calls] = (socket[calls] ?? 1) - 1
    const entry = this.#addresses.find(address)
    if (entry !== undefined) this.#addresses.leave(entry)
  }
}

interface InFlightCounts extends ApiSocket {
  [calls]?: number
}

const calls = Symbol('calls in flight')
