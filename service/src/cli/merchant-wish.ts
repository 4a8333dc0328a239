import { readFileSync } from 'node:fs'

import { CannotGoOn } from '../exits.ts'
import type { Asked, CommandOption } from './command.ts'

/** What an operator may say of a merchant. */
export const wishOptions: readonly CommandOption[] = [
  { name: 'name', takes: '<text>', meaning: 'What cardholders read.' },
  { name: 'organization', takes: '<text>', meaning: 'Its legal name, told on receipts; the name where there is none.' },
  { name: 'address', takes: '<text>', meaning: 'Its address, told on receipts.' },
  {
    name: 'origins',
    takes: '<list>',
    meaning: 'From where its pages may call, with commas: https://shop.example,https://m.shop.example · none',
  },
  { name: 'account-fields', takes: '<json>', meaning: 'Fields of a receipt’s account, or @file with them · none: any are taken.' },
  { name: 'min-amount', takes: '<tiyin>', meaning: 'Smallest amount of a receipt · none' },
  { name: 'max-amount', takes: '<tiyin>', meaning: 'Largest amount of a receipt · none' },
  { name: 'own-limits', takes: '<json>', meaning: 'Limits in place of the settings: {"writeMinuteMax":600}, or @file · none' },
  { name: 'strict-server-auth', takes: '<on|off>', meaning: 'Whether cards.check and cards.remove need the password at /api too.' },
  { name: 'require-form-sessions', takes: '<on|off>', meaning: 'Whether a card may be made in a session of the hosted form alone.' },
  { name: 'business-id', takes: '<text>', meaning: 'Its business id, told on receipts.' },
  { name: 'epos', takes: '<merchant/terminal>', meaning: 'Its EPOS ids, told on receipts · none' },
]

/** What was said of a merchant, by the names of its settings. Throws `CannotGoOn` for what cannot be read here; the service judges the rest. */
export function wishOf({ options }: Asked): Readonly<Record<string, unknown>> {
  const wish: Record<string, unknown> = {}
  for (const [option, [member, read]] of Object.entries(readers)) {
    const said = options.get(option)
    if (said !== undefined) wish[member] = read(said, `--${option}`)
  }
  return wish
}

type Reader = (said: string, flag: string) => unknown

const readers: Readonly<Record<string, readonly [member: string, read: Reader]>> = {
  name: ['name', asIs],
  organization: ['organization', asIs],
  address: ['address', asIs],
  origins: ['origins', readList],
  'account-fields': ['accountFields', (said, flag) => (said === 'none' ? [] : readJson(said, flag))],
  'min-amount': ['minAmount', readAmount],
  'max-amount': ['maxAmount', readAmount],
  'own-limits': ['limits', (said, flag) => (said === 'none' ? {} : readJson(said, flag))],
  'strict-server-auth': ['strictServerAuth', readSwitch],
  'require-form-sessions': ['requireFormSessions', readSwitch],
  'business-id': ['businessId', asIs],
  epos: ['epos', readEpos],
}

function asIs(said: string): string {
  return said
}

function readList(said: string): string[] {
  return said === 'none' ? [] : said.split(',').map((each) => each.trim())
}

function readJson(said: string, flag: string): unknown {
  const text = said.startsWith('@') ? readFile(said.slice(1), flag) : said
  try {
    return JSON.parse(text)
  } catch {
    throw new CannotGoOn('usage', `${flag} wants JSON, @ and the name of a file that has it, or none.`)
  }
}

function readFile(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (err) {
    throw new CannotGoOn('usage', `${flag}: the file ${path} cannot be read (${(err as NodeJS.ErrnoException).code ?? 'unknown'}).`)
  }
}

function readAmount(said: string, flag: string): number | null {
  if (said === 'none') return null
  if (/^[0-9]{1,15}$/.test(said)) return Number(said)
  throw new CannotGoOn('usage', `${flag} wants a whole number of tiyin (1 so'm is 100 tiyin), or none.`)
}

function readSwitch(said: string, flag: string): boolean {
  if (said === 'on' || said === 'off') return said === 'on'
  throw new CannotGoOn('usage', `${flag} wants on or off.`)
}

function readEpos(said: string, flag: string): unknown {
  const [merchantId = '', terminalId = '', ...more] = said === 'none' ? [] : said.split('/')
  if (more.length === 0) return { merchantId, terminalId }
  throw new CannotGoOn('usage', `${flag} wants the merchant id, a slash and the terminal id, or none.`)
}
