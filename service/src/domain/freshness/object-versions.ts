/**
 * The newest version of each object, in 24 bytes an object: 64 bits of a hash of its id and the version, in a table with open addressing. Ids
 * are issued at random, so that two of ten million share a hash with a probability of 3 in a million; the older one would then be refused.
 */
export class ObjectVersions {
  #slots = new Uint32Array(firstSlots * slotWords)
  #mask = firstSlots - 1
  #count = 0

  get size(): number {
    return this.#count
  }

  /** 0 for an object that is not known. */
  get(subject: string): number {
    const at = this.#find(hashOf(subject))
    return this.#slots[at + 2] ?? 0
  }

  /** Stores a version, unless a newer one is known. */
  raise(subject: string, version: number): void {
    this.#raise(hashOf(subject), version)
  }

  clear(): void {
    this.#slots = new Uint32Array(firstSlots * slotWords)
    this.#mask = firstSlots - 1
    this.#count = 0
  }

  /** All entries, 12 bytes each: two words of the hash and the version, in the byte order of this machine. */
  toBytes(): Uint8Array {
    const packed = new Uint32Array(this.#count * slotWords)
    let end = 0
    for (let at = 0; at < this.#slots.length; at += slotWords) {
      if (this.#slots[at + 2] === 0) continue
      packed.set(this.#slots.subarray(at, at + slotWords), end)
      end += slotWords
    }
    return new Uint8Array(packed.buffer)
  }

  /** Adds what `toBytes` returned. */
  add(bytes: Uint8Array): void {
    const words = new Uint32Array(Uint8Array.from(bytes).buffer)
    for (let at = 0; at + slotWords <= words.length; at += slotWords) {
      this.#raise([words[at] ?? 0, words[at + 1] ?? 0], words[at + 2] ?? 0)
    }
  }

  #raise(hash: Hash, version: number): void {
    const at = this.#find(hash)
    const known = this.#slots[at + 2] ?? 0
    if (known >= version) return
    this.#slots[at] = hash[0]
    this.#slots[at + 1] = hash[1]
    this.#slots[at + 2] = version
    if (known === 0 && ++this.#count * 2 > this.#mask) this.#grow()
  }

  /** The place of a hash, or the free one where it belongs. At most half of the places are taken. */
  #find([high, low]: Hash): number {
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * slotWords
      if (this.#slots[at + 2] === 0 || (this.#slots[at] === high && this.#slots[at + 1] === low)) return at
    }
  }

  #grow(): void {
    const before = this.#slots
    this.#mask = this.#mask * 2 + 1
    this.#slots = new Uint32Array((this.#mask + 1) * slotWords)
    for (let at = 0; at < before.length; at += slotWords) {
      const version = before[at + 2] ?? 0
      if (version === 0) continue
      const to = this.#find([before[at] ?? 0, before[at + 1] ?? 0])
      this.#slots.set(before.subarray(at, at + slotWords), to)
    }
  }
}

type Hash = readonly [number, number]

/** Two multiplicative hashes of the text, mixed as in MurmurHash3. Nobody chooses the ids, so that no keyed hash is needed. */
function hashOf(text: string): Hash {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    high = Math.imul(high ^ unit, 0xcc9e2d51)
    high = (high << 13) | (high >>> 19)
    low = Math.imul(low ^ unit, 0x1b873593)
    low = (low << 17) | (low >>> 15)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return [high >>> 0, low >>> 0]
}

const firstSlots = 1024
const slotWords = 3
