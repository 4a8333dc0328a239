// The PDUs of SMPP 3.4 that a client needs ("Short Message Peer-to-Peer Protocol Specification v3.4", issue 1.2; sections are of it).

/** §5.1.2.1. A response has the command of its request and the highest bit. */
export const smppCommands = Object.freeze({
  bindReceiver: 0x1,
  bindTransmitter: 0x2,
  submitSm: 0x4,
  deliverSm: 0x5,
  unbind: 0x6,
  bindTransceiver: 0x9,
  enquireLink: 0x15,
  genericNack: 0x80000000,
})

/** §5.1.3. */
export const smppStatuses = Object.freeze({
  ok: 0x0,
  invalidCommand: 0x3,
  systemError: 0x8,
  queueFull: 0x14,
  throttled: 0x58,
  /** Our reply to a delivery report that could not be stored: the message centre sends it again. */
  temporaryAppError: 0x64,
  unknownError: 0xff,
})

export interface SmppPdu {
  readonly command: number
  readonly status: number
  readonly sequence: number
  readonly body: Buffer
}

export function encodePdu({ command, status, sequence, body }: SmppPdu): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(headBytes + body.length, 0)
  head.writeUInt32BE(command >>> 0, 4)
  head.writeUInt32BE(status, 8)
  head.writeUInt32BE(sequence, 12)
  return Buffer.concat([head, body])
}

export function isResponse(command: number): boolean {
  return command >= responseBit
}

export function responseTo(command: number): number {
  return (command | responseBit) >>> 0
}

/** Collects bytes, and passes on each PDU when it is whole. The returned function throws `SmppFormatError` for a length that no PDU has. */
export function makePduReader(onPdu: (pdu: SmppPdu) => void): (chunk: Buffer) => void {
  let buffered: Buffer = Buffer.alloc(0)
  return (chunk) => {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
    while (buffered.length >= 4) {
      const length = buffered.readUInt32BE(0)
      if (length < headBytes || length > maxPduBytes) throw new SmppFormatError('the length of a PDU is not possible')
      if (buffered.length < length) return
      const pdu = buffered.subarray(0, length)
      buffered = buffered.subarray(length)
      onPdu({
        command: pdu.readUInt32BE(4),
        status: pdu.readUInt32BE(8),
        sequence: pdu.readUInt32BE(12),
        body: pdu.subarray(headBytes),
      })
    }
  }
}

/** Bytes that are no PDU, or a body that is shorter than its members. */
export class SmppFormatError extends Error {
  override readonly name = 'SmppFormatError'
}

export interface SmppAddress {
  readonly ton: number
  readonly npi: number
  readonly address: string
}

/** §4.1.5 */
export interface BindBody {
  readonly systemId: string
  readonly password: string
  readonly systemType: string
}

export function encodeBind({ systemId, password, systemType }: BindBody): Buffer {
  return Buffer.concat([cString(systemId), cString(password), cString(systemType), Buffer.from([0x34, 0, 0]), cString('')])
}

/** §4.4.1, with the members that differ from message to message. */
export interface SubmitBody {
  readonly source: SmppAddress
  readonly destination: SmppAddress
  /** Whether the message begins with a user data header. */
  readonly hasHeader: boolean
  /** How long it is tried, seconds. */
  readonly validSeconds: number
  /** Whether a delivery receipt is asked for. */
  readonly wantsReceipt: boolean
  /** 0: the default alphabet of the message centre; 8: UCS-2. */
  readonly dataCoding: number
  readonly message: Uint8Array
}

export function encodeSubmit(body: SubmitBody): Buffer {
  const { source, destination, hasHeader, validSeconds, wantsReceipt, dataCoding, message } = body
  return Buffer.concat([
    cString(''),
    encodeAddress(source),
    encodeAddress(destination),
    Buffer.from([hasHeader ? headerIndicator : 0, 0, 0]),
    cString(''),
    cString(relativeTime(validSeconds)),
    Buffer.from([wantsReceipt ? 1 : 0, 0, dataCoding, 0, message.length]),
    message,
  ])
}

/** A message or a delivery receipt from the message centre (§4.6.1). */
export interface DeliverBody {
  readonly esmClass: number
  readonly message: Buffer
  /** Optional parameters by their tags (§5.3). */
  readonly options: ReadonlyMap<number, Buffer>
}

/** Throws `SmppFormatError`. */
export function decodeDeliver(body: Buffer): DeliverBody {
  const reader = new BodyReader(body)
  reader.cString()
  for (let address = 0; address < 2; address++) {
    reader.take(2)
    reader.cString()
  }
  const esmClass = reader.byte()
  reader.take(2)
  reader.cString()
  reader.cString()
  reader.take(4)
  const message = reader.take(reader.byte())
  return { esmClass, message, options: reader.options() }
}

/** The id in a response to `submit_sm`; some message centres leave the body out. Throws `SmppFormatError`. */
export function decodeMessageId(body: Buffer): string {
  return body.length === 0 ? '' : new BodyReader(body).cString()
}

class BodyReader {
  readonly #body: Buffer
  #at = 0

  constructor(body: Buffer) {
    this.#body = body
  }

  byte(): number {
    return this.take(1)[0] ?? 0
  }

  take(count: number): Buffer {
    if (this.#at + count > this.#body.length) throw new SmppFormatError('the body of a PDU is too short')
    return this.#body.subarray(this.#at, (this.#at += count))
  }

  cString(): string {
    const end = this.#body.indexOf(0, this.#at)
    if (end < 0 || end - this.#at > maxTextBytes) throw new SmppFormatError('a text of a PDU has no end')
    const text = this.#body.toString('latin1', this.#at, end)
    this.#at = end + 1
    return text
  }

  options(): Map<number, Buffer> {
    const options = new Map<number, Buffer>()
    while (this.#at < this.#body.length) {
      const head = this.take(4)
      options.set(head.readUInt16BE(0), this.take(head.readUInt16BE(2)))
    }
    return options
  }
}

function encodeAddress({ ton, npi, address }: SmppAddress): Buffer {
  return Buffer.concat([Buffer.from([ton, npi]), cString(address)])
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'latin1')
}

/** §7.1.1: from the time of the message centre on, at most 99 days. */
function relativeTime(seconds: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const days = Math.min(99, Math.floor(seconds / 86_400))
  return `0000${two(days)}${two((seconds % 86_400) / 3600)}${two((seconds % 3600) / 60)}${two(seconds % 60)}000R`
}

const headBytes = 16
const responseBit = 0x80000000
/** esm_class: the user data header indicator (§5.2.12). */
const headerIndicator = 0x40
/** More than the longest PDU of any operation that a client of ours takes part in. */
const maxPduBytes = 8192
const maxTextBytes = 65
