import { subscriberOf } from '../limits/address.ts'
import type { ApiSocket } from './api-socket.ts'

export interface InFlightBounds {
  readonly inFlightMax: number
  readonly inFlightPerConnectionMax: number
  readonly inFlightPerAddressMax: number
}

/** The calls that are being answered: so many in all, on one connection (which may send the next before it has the reply), of one address or /64 of IPv6. */
export class InFlight {
  total = 0
  readonly #bounds: InFlightBounds
  readonly #addresses = new Map<string, number>()

  constructor(bounds: InFlightBounds) {
    this.#bounds = bounds
  }

  /** Counts a call, to be let out by `leave`; or says why there is no room for it, and counts nothing. */
  enter(socket: Counted, address: string): 'overloaded' | 'connectionBusy' | 'addressBusy' | null {
    const { inFlightMax, inFlightPerConnectionMax, inFlightPerAddressMax } = this.#bounds
    const ofConnection = socket[calls] ?? 0
    const subscriber = subscriberOf(address)
    const ofAddress = this.#addresses.get(subscriber) ?? 0
    if (this.total >= inFlightMax) return 'overloaded'
    if (ofConnection >= inFlightPerConnectionMax) return 'connectionBusy'
    if (ofAddress >= inFlightPerAddressMax) return 'addressBusy'
    this.total++
    socket[calls] = ofConnection + 1
    this.#addresses.set(subscriber, ofAddress + 1)
    return null
  }

  leave(socket: Counted, address: string): void {
    this.total--
    socket[calls] = (socket[calls] ?? 1) - 1
    const subscriber = subscriberOf(address)
    const left = (this.#addresses.get(subscriber) ?? 1) - 1
    if (left > 0) this.#addresses.set(subscriber, left)
    else this.#addresses.delete(subscriber)
  }
}

interface Counted extends ApiSocket {
  [calls]?: number
}

const calls = Symbol('calls in flight')
