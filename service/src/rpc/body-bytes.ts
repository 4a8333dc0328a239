/**
 * Gathers a body that comes in pieces, in one buffer that is ours to wipe. One piece alone is taken as it is (node gives each its own memory);
 * of several, each is wiped as soon as it is copied, and so is a buffer that has become too small.
 */
export class BodyBytes {
  #buffer: Buffer = nothing
  #length = 0
  readonly #lengthMax: number

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax
  }

  /** Takes a piece over; false, with everything wiped, when the body is longer than it may be. */
  add(piece: Buffer): boolean {
    const length = this.#length + piece.length
    if (length > this.#lengthMax) {
      piece.fill(0)
      this.wipe()
      return false
    }
    if (this.#length === 0) {
      this.#buffer = piece
    } else {
      if (length > this.#buffer.length) this.#grow(length)
      piece.copy(this.#buffer, this.#length)
      piece.fill(0)
    }
    this.#length = length
    return true
  }

  /** Hands the body over: whoever takes it wipes it. */
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
