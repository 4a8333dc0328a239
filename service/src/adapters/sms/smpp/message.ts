import { encodeGsmText, splitSmsText } from '@tessera/contract/sms-text'

/** What the message centre takes `data_coding` 0 for: the alphabet of SMS, or ISO 8859-1. They differ in `@`, `_`, `$` and letters with accents. */
export type SmppAlphabet = 'gsm' | 'latin1'

/** One segment of a message, as `short_message` of `submit_sm`. */
export interface SmppSegment {
  readonly message: Uint8Array
  readonly hasHeader: boolean
  readonly dataCoding: number
}

/**
 * The segments of a text. Several have a user data header of concatenation each (3GPP TS 23.040 §9.2.3.24.1), by whose `reference` the phone puts them
 * together. Septets are sent one in a byte, as SMPP has them.
 */
export function encodeSegments(text: string, alphabet: SmppAlphabet, reference: number): SmppSegment[] {
  const { encoding, parts } = splitSmsText(text)
  const dataCoding = encoding === 'gsm7' ? 0 : ucs2Coding
  return parts.map((part, at) => {
    const content = encodePart(part, encoding, alphabet)
    if (parts.length === 1) return { message: content, hasHeader: false, dataCoding }
    const header = Buffer.from([5, 0, 3, reference & 0xff, parts.length, at + 1])
    return { message: Buffer.concat([header, content]), hasHeader: true, dataCoding }
  })
}

function encodePart(part: string, encoding: 'gsm7' | 'ucs2', alphabet: SmppAlphabet): Uint8Array {
  if (encoding === 'ucs2') return Buffer.from(part, 'utf16le').swap16()
  return alphabet === 'gsm' ? encodeGsmText(part) : Buffer.from(part, 'latin1')
}

const ucs2Coding = 8
