import { RpcError } from '@tessera/contract/errors'

import type { AccountEntry } from './render.ts'

/** One field that a merchant has configured; the title is already in the language of the receipt. */
export interface AccountField {
  readonly name: string
  readonly title: string
  readonly isRequired: boolean
}

export type GivenAccount = Readonly<Record<string, string | number | null>>

/**
 * The account of a receipt as it is kept: values are strings, the first field is the main one. With no field configured any are taken;
 * with no account at all it is told by the receipt's own number. Throws `accountFieldMissing` and `accountFieldUnknown`.
 */
export function makeAccount(given: GivenAccount, fields: readonly AccountField[], receiptId: string): AccountEntry[] {
  const entries = fields.length === 0 ? takeAny(given) : takeConfigured(given, fields)
  if (entries.length === 0) return [{ name: 'transaction', title: 'Номер чека', value: sequenceOf(receiptId), main: true }]
  return entries.map((entry, at) => ({ ...entry, main: at === 0 }))
}

type Entry = Omit<AccountEntry, 'main'>

function takeAny(given: GivenAccount): Entry[] {
  return Object.entries(given).map(([name, value]) => ({ name, title: name, value: textOf(value) }))
}

function takeConfigured(given: GivenAccount, fields: readonly AccountField[]): Entry[] {
  const stranger = Object.keys(given).find((name) => !fields.some((field) => field.name === name))
  if (stranger !== undefined) throw new RpcError('accountFieldUnknown', { data: isPlain(stranger) ? stranger : 'account' })
  return fields.flatMap(({ name, title, isRequired }) => {
    const value = textOf(Object.hasOwn(given, name) ? (given[name] ?? null) : null)
    if (value === '' && isRequired) throw new RpcError('accountFieldMissing', { data: name })
    return value === '' ? [] : [{ name, title, value }]
  })
}

function textOf(value: string | number | null): string {
  return value === null ? '' : String(value)
}

/** What might be a secret in the place of a name is not repeated. */
function isPlain(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)
}

/** A number that people can read out: of the random part of the id, twelve digits at most. */
export function sequenceOf(receiptId: string): string {
  return String(Number.parseInt(receiptId.slice(-12), 16) % 1_000_000_000_000)
}
