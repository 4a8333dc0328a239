import { readFileSync } from 'node:fs'

import { AdapterConfigError } from '../../adapter.ts'

/** How one host writes ISO 8583 messages: a table of fields, and the frame around a message. Read from a JSON file; `defaultDialect` is ASCII of 1987. */
export interface IsoDialect {
  /** The length before each message: how many bytes, binary or ASCII digits, and whether the length counts itself. */
  readonly frame: { readonly bytes: 2 | 4; readonly encoding: 'binary' | 'ascii'; readonly countsItself: boolean }
  readonly bitmap: 'binary' | 'hex'
  /** By number, 2 to 128. A message with any other field is refused. */
  readonly fields: Readonly<Record<string, FieldFormat>>
  /** Fields of every financial message with a fixed value, such as 22 (entry mode) and 25 (condition code). */
  readonly constants: Readonly<Record<string, string>>
  /** How the cardholder's phone is requested: the processing code of an 0100, and the field of its reply. Null: cards cannot be verified. */
  readonly phoneInquiry: { readonly processingCode: string; readonly field: number } | null
}

/** `lengthDigits` 0: always `length` characters, numbers filled with zeros at the left; 2 or 3: LLVAR or LLLVAR of at most `length`. */
export interface FieldFormat {
  readonly type: 'n' | 'an' | 'ans'
  readonly length: number
  readonly lengthDigits: 0 | 2 | 3
  readonly encoding: 'ascii' | 'bcd'
}

/** Throws `AdapterConfigError`, which names the member that is wrong. */
export function readDialect(path: string): IsoDialect {
  try {
    return parseDialect(JSON.parse(readFileSync(path, 'utf8')))
  } catch (err) {
    throw err instanceof AdapterConfigError ? err : new AdapterConfigError(`the ISO 8583 field table ${path} cannot be read as JSON.`)
  }
}

export function parseDialect(given: unknown): IsoDialect {
  const { frame, bitmap, fields, constants, phoneInquiry } = { ...defaultDialect, ...(given as Partial<IsoDialect> | null) }
  requireMember(
    [2, 4].includes(frame.bytes) && ['binary', 'ascii'].includes(frame.encoding) && typeof frame.countsItself === 'boolean',
    'frame',
  )
  requireMember(['binary', 'hex'].includes(bitmap), 'bitmap')
  for (const [number, field] of Object.entries(fields)) {
    const { type, length, lengthDigits, encoding } = field
    const isKnown = ['n', 'an', 'ans'].includes(type) && [0, 2, 3].includes(lengthDigits) && ['ascii', 'bcd'].includes(encoding)
    const isNumbered = /^[1-9][0-9]{0,2}$/.test(number) && Number(number) >= 2 && Number(number) <= 128
    requireMember(isNumbered && isKnown && Number.isInteger(length) && length > 0 && length <= 999, `fields.${number}`)
    requireMember(encoding === 'ascii' || type === 'n', `fields.${number}.encoding`)
  }
  for (const number of usedFields) requireMember(number in fields, `fields.${String(number)}`)
  for (const number of Object.keys(constants)) requireMember(number in fields, `constants.${number}`)
  requireMember(
    phoneInquiry === null || (String(phoneInquiry.field) in fields && /^[0-9]{6}$/.test(phoneInquiry.processingCode)),
    'phoneInquiry',
  )
  return { frame, bitmap, fields, constants, phoneInquiry }
}

function requireMember(holds: boolean, member: string): void {
  if (!holds) throw new AdapterConfigError(`the ISO 8583 field table is wrong at ${member}. See docs/guides/iso8583.md#field-table.`)
}

const fixed = (type: FieldFormat['type'], length: number): FieldFormat => ({ type, length, lengthDigits: 0, encoding: 'ascii' })
const variable = (type: FieldFormat['type'], length: number, lengthDigits: 2 | 3 = 2): FieldFormat => ({
  type,
  length,
  lengthDigits,
  encoding: 'ascii',
})

/** ISO 8583:1987 with ASCII fields, a binary bitmap and a length of two bytes before each message. */
export const defaultDialect: IsoDialect = Object.freeze({
  frame: { bytes: 2, encoding: 'binary', countsItself: false },
  bitmap: 'binary',
  // prettier-ignore
  fields: {
    2: variable('n', 19), 3: fixed('n', 6), 4: fixed('n', 12), 7: fixed('n', 10), 11: fixed('n', 6), 12: fixed('n', 6), 13: fixed('n', 4),
    14: fixed('n', 4), 18: fixed('n', 4), 22: fixed('n', 3), 25: fixed('n', 2), 32: variable('n', 11), 37: fixed('an', 12), 38: fixed('an', 6),
    39: fixed('an', 2), 41: fixed('ans', 8), 42: fixed('ans', 15), 48: variable('ans', 999, 3), 49: fixed('n', 3), 70: fixed('n', 3), 90: fixed('n', 42),
  },
  constants: { 22: '010', 25: '59' },
  phoneInquiry: null,
} as const)

/** Fields that the adapter itself writes or reads. */
const usedFields = [2, 3, 4, 7, 11, 14, 37, 38, 39, 41, 42, 49, 70, 90] as const
