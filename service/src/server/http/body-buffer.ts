/**
 * Collects the chunks of a body in one buffer that can be wiped. A single chunk is used as it is (node allocates memory for each). Of several, each is
 * wiped as soon as it is copied, and so is a buffer that has become too small.
 */
export class BodyBuffer {
  #buffer: Buffer = emptyBuffer
  #length = 0
  readonly #maxLength: number

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Bytes of memory that it takes. */
  get capacity(): number {
    return this.#buffer.length
  }

  /** Takes ownership of a chunk. False if the body is too long; everything is wiped then. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length
    if (length > this.#maxLength) {
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

  /** Returns the body; the caller wipes it. */
  take(): Buffer {
    const body = this.#buffer.subarray(0, this.#length)
    this.#buffer = emptyBuffer
    this.#length = 0
    return body
  }

  wipe(): void {
    this.take().fill(0)
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#maxLength, Math.max(length, 2 * this.#buffer.length, 4096)))
    this.#buffer.copy(grown)
    this.#buffer.fill(0)
    this.#buffer = grown
  }
}

const emptyBuffer = Buffer.allocUnsafeSlow(0)
