/** How a text is sent by SMS (3GPP TS 23.040): in one message, or in numbered segments that the phone puts together. */
export interface SmsSegments {
  /** The default alphabet of 3GPP TS 23.038, 7 bits a character, or UCS-2, 16 bits. */
  readonly encoding: 'gsm7' | 'ucs2'
  /** The text of each segment, in order. No character is divided. */
  readonly parts: readonly string[]
}

/**
 * Divides a text into segments: up to 160 characters of the default alphabet or 70 of UCS-2 in a single message, 153 or 67 in each of several. Characters of
 * the extension table (`^{}\[~]|€`) count twice.
 */
export function splitSmsText(text: string): SmsSegments {
  const isGsm = isGsmText(text)
  const [single, each] = isGsm ? [160, 153] : [70, 67]
  const sizeOf = isGsm ? gsmLength : (part: string): number => part.length
  const encoding = isGsm ? 'gsm7' : 'ucs2'
  if (sizeOf(text) <= single) return { encoding, parts: [text] }
  const parts: string[] = []
  let part = ''
  let size = 0
  // By code points, so that a surrogate pair stays in one segment.
  for (const character of text) {
    const more = sizeOf(character)
    if (size + more > each) {
      parts.push(part)
      part = ''
      size = 0
    }
    part += character
    size += more
  }
  return { encoding, parts: [...parts, part] }
}

/** Segments in which a message is sent and charged. */
export function countSmsSegments(text: string): number {
  return splitSmsText(text).parts.length
}

/** Whether every character is in the default alphabet of 3GPP TS 23.038, its extension table included. */
export function isGsmText(text: string): boolean {
  return Array.from(text).every((character) => gsmCodes.has(character) || gsmExtensionCodes.has(character))
}

/** The septets of a text in the default alphabet, one in each byte. Throws for a character outside of it. */
export function encodeGsmText(text: string): Uint8Array {
  return Uint8Array.from(
    Array.from(text).flatMap((character) => {
      const code = gsmCodes.get(character)
      if (code !== undefined) return [code]
      const extension = gsmExtensionCodes.get(character)
      if (extension === undefined) throw new Error('a character is not in the default alphabet of SMS')
      return [escapeCode, extension]
    }),
  )
}

function gsmLength(text: string): number {
  return Array.from(text).reduce((length, character) => length + (gsmExtensionCodes.has(character) ? 2 : 1), 0)
}

/** The escape to the extension table; in no text. */
const escapeCode = 0x1b

/** The default alphabet in the order of its codes (3GPP TS 23.038 §6.2.1). The placeholder at 0x1b is the escape. */
const defaultAlphabet =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\0ÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

const gsmCodes: ReadonlyMap<string, number> = new Map(
  Array.from(defaultAlphabet, (character, code) => [character, code] as const).filter(([, code]) => code !== escapeCode),
)

/** 3GPP TS 23.038 §6.2.1.1. */
const gsmExtensionCodes: ReadonlyMap<string, number> = new Map([
  ['\f', 0x0a],
  ['^', 0x14],
  ['{', 0x28],
  ['}', 0x29],
  ['\\', 0x2f],
  ['[', 0x3c],
  ['~', 0x3d],
  [']', 0x3e],
  ['|', 0x40],
  ['€', 0x65],
])

/**
 * The text of an error as it may be stored and shown. A gateway may repeat the phone or the message in its own text, so that of a text with four digits
 * between which there are no letters, or with other characters, only `otherwise` is left.
 */
export function smsErrorText(text: string, otherwise: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return /^[\w .:-]{1,64}$/.test(line) && !/\d(?:[ .:_-]*\d){3}/.test(line) ? line : otherwise
}
