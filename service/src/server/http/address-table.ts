import { subscriberOf } from '../../domain/limits/address.ts'

/** What is counted of a client address, or IPv6 /64. */
export interface AddressEntry {
  /** Requests in progress. */
  open: number
}

/**
 * The addresses from which requests are in progress. An address stays for a while after its last request: a map allocates its table anew as entries come and go,
 * and that of a map which lives long goes where only a major collection frees it. One entry a request was 100 bytes of such garbage (docs/decisions/0135-pauses.md).
 */
export class AddressTable<Entry extends AddressEntry> {
  readonly #entries = new Map<string, Entry>()
  readonly #makeEntry: () => Entry
  /** Entries without a request. */
  #idle = 0

  constructor(makeEntry: () => Entry) {
    this.#makeEntry = makeEntry
  }

  /** The entry of an address, to be counted with `enter`. */
  find(address: string): Entry | undefined {
    return this.#entries.get(subscriberOf(address))
  }

  /** Counts a request of an address until `leave`. */
  enter(address: string): Entry {
    const subscriber = subscriberOf(address)
    let entry = this.#entries.get(subscriber)
    if (entry === undefined) this.#entries.set(subscriber, (entry = this.#makeEntry()))
    else if (entry.open === 0) this.#idle--
    entry.open++
    return entry
  }

  leave(entry: Entry): void {
    entry.open--
    if (entry.open === 0 && ++this.#idle > idleMax) this.#forgetIdle()
  }

  /** Entries, with those that have no request. */
  get size(): number {
    return this.#entries.size
  }

  #forgetIdle(): void {
    for (const [subscriber, { open }] of this.#entries) if (open === 0) this.#entries.delete(subscriber)
    this.#idle = 0
  }
}

/** A hundred kilobytes or so. */
const idleMax = 1000
