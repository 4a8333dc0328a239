import { hashText } from '../server/text-hash.ts'

/**
 * Calls in progress by their request id. A map would do, but for what it leaves behind: V8 allocates a map's table anew as entries come and go, in the old
 * space, and calls that were in a former table count as alive until a major collection. Of 5,000 `cards.create` a second that was 1 MB of them every second
 * (docs/decisions/0135-pauses.md). Open addressing with linear probing in two arrays that only ever grow.
 */
export class CallTable<Value> {
  #ids: (string | null)[] = new Array<string | null>(firstSlots).fill(null)
  #values: (Value | null)[] = new Array<Value | null>(firstSlots).fill(null)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Undefined for an id that is not in the table. */
  get(id: string): Value | undefined {
    return this.#values[this.#slotOf(id)] ?? undefined
  }

  /** Adds a value, or replaces that of the same id. */
  set(id: string, value: Value): void {
    if (2 * (this.#size + 1) > this.#ids.length) this.#grow()
    const slot = this.#slotOf(id)
    if (this.#ids[slot] === null) this.#size++
    this.#ids[slot] = id
    this.#values[slot] = value
  }

  delete(id: string): void {
    let gap = this.#slotOf(id)
    if (this.#ids[gap] === null) return
    this.#size--
    // What was put behind this entry because its slot was taken moves up, so that no look-up ends at the gap.
    const last = this.#ids.length - 1
    for (let at = (gap + 1) & last; ; at = (at + 1) & last) {
      const moved = this.#ids[at] ?? null
      if (moved === null) break
      const distance = (at - (hashOf(moved) & last)) & last
      if (distance < ((at - gap) & last)) continue
      this.#put(gap, moved, this.#values[at] ?? null)
      gap = at
    }
    this.#put(gap, null, null)
  }

  #put(slot: number, id: string | null, value: Value | null): void {
    this.#ids[slot] = id
    this.#values[slot] = value
  }

  /** The slot of an id, or the free one where it would be put. */
  #slotOf(id: string): number {
    const last = this.#ids.length - 1
    let slot = hashOf(id) & last
    while (this.#ids[slot] !== null && this.#ids[slot] !== id) slot = (slot + 1) & last
    return slot
  }

  #grow(): void {
    const [ids, values] = [this.#ids, this.#values]
    this.#ids = new Array<string | null>(2 * ids.length).fill(null)
    this.#values = new Array<Value | null>(2 * ids.length).fill(null)
    for (const [at, id] of ids.entries()) if (id !== null) this.#put(this.#slotOf(id), id, values[at] ?? null)
  }
}

/** Of the end, which is the random part of a request id. */
function hashOf(id: string): number {
  const hash = hashText(id, Math.max(0, id.length - hashedUnits))
  // The lower bits of the last step depend on few units.
  return (hash ^ (hash >>> 15)) >>> 0
}

/** A power of two. Four kilobytes; calls in progress are some hundreds at most. */
const firstSlots = 256
const hashedUnits = 10
