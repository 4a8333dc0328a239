/**
 * Collects a body that comes in chunks, in one buffer that we can wipe. A single chunk is used as it is (node gives each its own memory); of several,
 * each is wiped as soon as it is copied, and so is a buffer that has become too small.
 */
export class BodyBuffer {
  #buffer: Buffer = nothing
  #length = 0
  readonly #lengthMax: number

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax
  }

  /** Takes a chunk over. False, with everything wiped, when the body is too long. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length
    if (length > this.#lengthMax) {
      chunk.fill(0)
      this.wipe()
      return false
    }
    if (this.#length === 0) {
      this.#buffer = chunk
    } else {
      if (length > this.#buffer.length) this.#grow(length)
      chunk.copy(this.#buffer, this.#length)
      chunk.fill(0)
    }
    this.#length = length
    return true
  }

  /** Hands the body over to a caller that wipes it. */
  take(): Buffer {
    const body = this.#buffer.subarray(0, this.#length)
    this.#buffer = nothing
    this.#length = 0
    return body
  }

  wipe(): void {
    this.take().fill(0)
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#lengthMax, Math.max(length, 2 * this.#buffer.length, 4096)))
    this.#buffer.copy(grown)
    this.#buffer.fill(0)
    this.#buffer = grown
  }
}

const nothing = Buffer.allocUnsafeSlow(0)
