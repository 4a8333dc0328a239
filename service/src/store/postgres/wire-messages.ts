import type { Value } from '../statement.ts'

// Messages of the PostgreSQL protocol that a client sends for prepared statements. The driver writes each message by itself, which costs a write of the
// stream each; these go into one buffer.

/** A value of a statement; an array is a PostgreSQL array. */
export type StepValue = Value | readonly Value[]

/** Collects messages, in the order in which they are sent. */
export class MessageWriter {
  #buffer: Buffer = Buffer.allocUnsafe(firstBytes)
  #end = 0

  /** Drops messages that were not taken, because one of them could not be written. */
  clear(): void {
    this.#end = 0
  }

  parse(name: string, text: string): void {
    const start = this.#begin('P')
    this.#cString(name)
    this.#cString(text)
    this.#int16(0)
    this.#finish(start)
  }

  /** Closes a prepared statement; one that does not exist is no error. */
  close(name: string): void {
    const start = this.#begin('C')
    this.#byte('S')
    this.#cString(name)
    this.#finish(start)
  }

  /** Binds the unnamed portal. Bytes are sent as they are, everything else and all results as text. */
  bind(name: string, values: readonly StepValue[]): void {
    const start = this.#begin('B')
    this.#cString('')
    this.#cString(name)
    this.#int16(values.length)
    for (const value of values) this.#int16(value instanceof Uint8Array ? binaryFormat : textFormat)
    this.#int16(values.length)
    for (const value of values) this.#value(value)
    this.#int16(1)
    this.#int16(textFormat)
    this.#finish(start)
  }

  /** Describes the rows of the unnamed portal. */
  describe(): void {
    const start = this.#begin('D')
    this.#byte('P')
    this.#cString('')
    this.#finish(start)
  }

  /** Executes the unnamed portal. */
  execute(): void {
    const start = this.#begin('E')
    this.#cString('')
    this.#int32(0)
    this.#finish(start)
  }

  sync(): void {
    this.#finish(this.#begin('S'))
  }

  /** The messages, in memory of their own. The writer is empty then. */
  take(): Buffer {
    const messages = Buffer.from(this.#buffer.subarray(0, this.#end))
    this.#end = 0
    if (this.#buffer.length > maxIdleBytes) this.#buffer = Buffer.allocUnsafe(firstBytes)
    return messages
  }

  /** Returns where the length of the message has to be written, which counts itself. */
  #begin(type: string): number {
    this.#byte(type)
    this.#reserve(4)
    this.#end += 4
    return this.#end - 4
  }

  #finish(start: number): void {
    this.#buffer.writeInt32BE(this.#end - start, start)
  }

  #value(value: StepValue): void {
    if (value === null) {
      this.#int32(-1)
      return
    }
    this.#reserve(4)
    const start = this.#end
    this.#end += 4
    if (value instanceof Uint8Array) this.#bytes(value)
    else if (typeof value === 'string') this.#text(value)
    else if (typeof value === 'number') this.#text(String(value))
    else this.#text(`{${value.map(arrayElement).join(',')}}`)
    this.#buffer.writeInt32BE(this.#end - start - 4, start)
  }

  #cString(text: string): void {
    this.#text(text)
    this.#byte('\0')
  }

  #text(text: string): void {
    this.#reserve(text.length * maxUtf8Bytes)
    this.#end += this.#buffer.write(text, this.#end)
  }

  #bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#end)
    this.#end += bytes.length
  }

  #byte(character: string): void {
    this.#reserve(1)
    this.#buffer[this.#end++] = character.charCodeAt(0)
  }

  #int16(value: number): void {
    this.#reserve(2)
    this.#end = this.#buffer.writeInt16BE(value, this.#end)
  }

  #int32(value: number): void {
    this.#reserve(4)
    this.#end = this.#buffer.writeInt32BE(value, this.#end)
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#end + bytes))
    this.#buffer.copy(larger, 0, 0, this.#end)
    this.#buffer = larger
  }
}

/** An element of an array literal; a backslash and a quote are escaped by a backslash. */
function arrayElement(value: Value): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`
  return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}"`
}

const [textFormat, binaryFormat] = [0, 1]
/** Of one UTF-16 unit. */
const maxUtf8Bytes = 3
const firstBytes = 16_384
/** A larger buffer is not held until the next time. */
const maxIdleBytes = 262_144
