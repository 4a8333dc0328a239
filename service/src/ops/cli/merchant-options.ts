import { readFileSync } from 'node:fs'

import { ExitError } from '../exits.ts'
import type { CommandInput, CommandOption } from './command.ts'

/** The options for the settings of a merchant. */
export const patchOptions: readonly CommandOption[] = [
  { name: 'name', takes: '<text>', meaning: 'What cardholders read.' },
  { name: 'organization', takes: '<text>', meaning: 'Its legal name on receipts; the name by default.' },
  { name: 'address', takes: '<text>', meaning: 'Its address on receipts.' },
  {
    name: 'origins',
    takes: '<list>',
    meaning: 'Origins of its pages, separated by commas: https://shop.example,https://m.shop.example · none',
  },
  { name: 'account-fields', takes: '<json>', meaning: 'Fields of a receipt’s account, or @file · none: any fields are accepted.' },
  { name: 'min-amount', takes: '<tiyin>', meaning: 'Smallest amount of a receipt · none' },
  { name: 'max-amount', takes: '<tiyin>', meaning: 'Largest amount of a receipt · none' },
  { name: 'own-limits', takes: '<json>', meaning: 'Limits in place of the settings: {"writeMinuteMax":600}, or @file · none' },
  { name: 'strict-server-auth', takes: '<on|off>', meaning: 'Whether cards.check and cards.remove need the password at /api too.' },
  { name: 'require-form-sessions', takes: '<on|off>', meaning: 'Whether a card can only be created in a session of the hosted form.' },
  {
    name: 'refund-unconfirmed-max',
    takes: '<tiyin>',
    meaning: 'Refunds above it ask the user of the dashboard to confirm who they are · none: every refund does.',
  },
  { name: 'require-second-factor', takes: '<on|off>', meaning: 'Whether every user of its dashboard needs a second factor.' },
  { name: 'business-id', takes: '<text>', meaning: 'Its business id on receipts.' },
  { name: 'epos', takes: '<merchant/terminal>', meaning: 'Its EPOS ids on receipts · none' },
  { name: 'brand-color', takes: '<#rrggbb>', meaning: 'Its color on the hosted page · none' },
  { name: 'logo', takes: '<file>', meaning: 'Its logo on the hosted page: a PNG of at most 32 KiB and 512 by 512 pixels · none' },
]

/** Reads the given options into a patch. Throws `ExitError` for values that cannot be parsed; the service validates the rest. */
export function readPatchOptions({ options }: Pick<CommandInput, 'options'>): Readonly<Record<string, unknown>> {
  const patch: Record<string, unknown> = {}
  for (const [option, [member, read]] of Object.entries(readers)) {
    const value = options.get(option)
    if (value !== undefined) patch[member] = read(value, `--${option}`)
  }
  return patch
}

type Reader = (text: string, flag: string) => unknown

const readers: Readonly<Record<string, readonly [member: string, read: Reader]>> = {
  name: ['name', asIs],
  organization: ['organization', asIs],
  address: ['address', asIs],
  origins: ['origins', readList],
  'account-fields': ['accountFields', (text, flag) => (text === 'none' ? [] : readJson(text, flag))],
  'min-amount': ['minAmount', readAmount],
  'max-amount': ['maxAmount', readAmount],
  'own-limits': ['limits', (text, flag) => (text === 'none' ? {} : readJson(text, flag))],
  'strict-server-auth': ['strictServerAuth', readSwitch],
  'require-form-sessions': ['requireFormSessions', readSwitch],
  'refund-unconfirmed-max': ['refundUnconfirmedMax', readAmount],
  'require-second-factor': ['requireSecondFactor', readSwitch],
  'business-id': ['businessId', asIs],
  epos: ['epos', readEpos],
  'brand-color': ['brandColor', (text) => (text === 'none' ? null : text)],
  logo: ['logo', (text, flag) => (text === 'none' ? null : readImage(text, flag))],
}

function asIs(text: string): string {
  return text
}

function readList(text: string): string[] {
  return text === 'none' ? [] : text.split(',').map((each) => each.trim())
}

function readJson(text: string, flag: string): unknown {
  const json = text.startsWith('@') ? readFile(text.slice(1), flag) : text
  try {
    return JSON.parse(json)
  } catch {
    throw new ExitError('usage', `${flag} must be JSON, @ and the name of a JSON file, or none.`)
  }
}

/** As base64, which JSON can carry; the service says what is wrong with an image. */
function readImage(path: string, flag: string): string {
  return readFile(path, flag, 'base64')
}

function readFile(path: string, flag: string, encoding: 'utf8' | 'base64' = 'utf8'): string {
  try {
    return readFileSync(path, encoding)
  } catch (err) {
    throw new ExitError('usage', `${flag}: the file ${path} cannot be read (${(err as NodeJS.ErrnoException).code ?? 'unknown'}).`)
  }
}

function readAmount(text: string, flag: string): number | null {
  if (text === 'none') return null
  if (/^[0-9]{1,15}$/.test(text)) return Number(text)
  throw new ExitError('usage', `${flag} must be a whole number of tiyin (1 so'm is 100 tiyin), or none.`)
}

function readSwitch(text: string, flag: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new ExitError('usage', `${flag} must be on or off.`)
}

function readEpos(text: string, flag: string): unknown {
  const [merchantId = '', terminalId = '', ...more] = text === 'none' ? [] : text.split('/')
  if (more.length === 0) return { merchantId, terminalId }
  throw new ExitError('usage', `${flag} must be <merchant id>/<terminal id>, or none.`)
}
