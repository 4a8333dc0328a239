import { readFileSync } from 'node:fs'

import { holdsCardNumber } from '@tessera/contract/card-number-detector'
import { SettingProblem } from '@tessera/contract/setting-problems'

import { applyMerchantPatch, readMerchantPatch } from '../../domain/merchants/merchant-patch.ts'
import { noSettings } from '../../domain/merchants/settings.ts'
import { ExitError } from '../exits.ts'

import { parseCsv } from './csv.ts'
import { patchOptions, readPatchOptions } from './merchant-options.ts'

/** The merchants of a file. */
export interface MerchantFile {
  /** What tells a merchant of the file from the others: its business id where every one has one, otherwise its name. */
  readonly keyName: 'name' | 'businessId'
  readonly merchants: readonly FileMerchant[]
}

export interface FileMerchant {
  readonly key: string
  /** As `operator.merchants.create` takes it. */
  readonly patch: Readonly<Record<string, unknown>>
}

/** Reads a CSV or JSON file, and validates all of it. Throws `ExitError` with every fault; then nothing has been created. */
export function readMerchantFile(path: string): MerchantFile {
  const text = readText(path)
  const faults: string[] = []
  const entries = path.toLowerCase().endsWith('.json') ? readJsonEntries(text) : readCsvEntries(text, faults)
  if (entries.length === 0 && faults.length === 0) throw new ExitError('usage', `${path} has no merchants.`)
  if (entries.length > maxMerchants) throw new ExitError('usage', `${path} has more than ${String(maxMerchants)} merchants: split it.`)
  for (const { place, patch } of entries) faults.push(...findFaults(patch).map((fault) => `${place}: ${fault}`))
  const keyName = entries.every(({ patch }) => textOf(patch, 'businessId') !== '') ? 'businessId' : 'name'
  const seen = new Map<string, string>()
  for (const { place, patch } of entries) {
    const key = textOf(patch, keyName)
    const first = seen.get(key)
    if (first === undefined) seen.set(key, place)
    else if (key !== '')
      faults.push(`${place}: has the same ${wordOf(keyName)} as ${first}${keyName === 'name' ? '; give each a business-id' : ''}.`)
  }
  if (faults.length > 0) throw new ExitError('usage', [`${path} is refused, and nothing was created:`, ...shorten(faults)].join('\n'))
  return { keyName, merchants: entries.map(({ patch }) => ({ key: textOf(patch, keyName), patch })) }
}

/** As the columns of a file are called. */
export function wordOf(keyName: MerchantFile['keyName']): string {
  return keyName === 'name' ? 'name' : 'business-id'
}

interface FileEntry {
  /** Where it is: `line 3`, `entry 2`. */
  readonly place: string
  readonly patch: Readonly<Record<string, unknown>>
}

function readText(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (err) {
    const code = (err as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new ExitError('usage', `${path} cannot be read (${code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : code}).`)
  }
}

/** Columns are the options of `merchants create`, without dashes; an empty cell is an option that is not given. */
function readCsvEntries(text: string, faults: string[]): FileEntry[] {
  const rows = parseCsv(text)
  if (rows === null) throw new ExitError('usage', 'The file is not CSV: a double quote is not closed, or follows other text.')
  const [heading = [], ...lines] = rows
  const columns = heading.map((each) => each.trim())
  const known = patchOptions.map(({ name }) => name)
  const unknown = columns.filter((column, i) => !known.includes(column) || columns.indexOf(column) !== i)
  if (unknown.length > 0) faults.push(`line 1: the column ${unknown.join(', ')} is unknown or there twice; there are ${known.join(', ')}.`)
  return lines.flatMap((cells, i) => {
    const place = `line ${String(i + 2)}`
    if (cells.length !== columns.length) {
      faults.push(`${place}: has ${String(cells.length)} cells, and the heading has ${String(columns.length)}.`)
      return []
    }
    try {
      return [{ place, patch: readCells(columns, cells) }]
    } catch (err) {
      if (!(err instanceof ExitError)) throw err
      faults.push(`${place}: ${err.message}`)
      return []
    }
  })
}

function readCells(columns: readonly string[], cells: readonly string[]): Readonly<Record<string, unknown>> {
  const given = columns.map((column, i) => [column, cells[i]?.trim() ?? ''] as const).filter(([, cell]) => cell !== '')
  // A cell names no file: what is imported is what the file says.
  const file = given.find(([, cell]) => cell.startsWith('@'))
  if (file !== undefined) throw new ExitError('usage', `${file[0]} must be written in the cell itself.`)
  return readPatchOptions({ options: new Map(given) })
}

/** A list of objects, with the members that `merchants show --json` prints. */
function readJsonEntries(text: string): FileEntry[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new ExitError('usage', 'The file is not JSON.')
  }
  if (!Array.isArray(parsed)) throw new ExitError('usage', 'The file must be a list of objects: [{"name":"My shop"}]')
  return parsed.map((entry: unknown, i) => {
    const isObject = typeof entry === 'object' && entry !== null && !Array.isArray(entry)
    return { place: `entry ${String(i + 1)}`, patch: isObject ? (entry as Record<string, unknown>) : {} }
  })
}

/** What the service would refuse. */
function findFaults(patch: Readonly<Record<string, unknown>>): string[] {
  const unknown = Object.keys(patch).filter((name) => !members.has(name))
  if (unknown.length > 0) return [`${unknown.join(', ').slice(0, 100)} is no setting of a merchant; there are ${[...members].join(', ')}.`]
  if (holdsCardNumber(JSON.stringify(patch))) return ['contains a card number. Remove it from the file.']
  if (textOf(patch, 'name') === '') return ['the name is missing.']
  const read = readMerchantPatch(patch)
  if (read instanceof SettingProblem) return [read.describe('en')]
  const settings = applyMerchantPatch(noSettings, read)
  return settings instanceof SettingProblem ? [settings.describe('en')] : []
}

function textOf(patch: Readonly<Record<string, unknown>>, name: string): string {
  const value = patch[name]
  return typeof value === 'string' ? value.trim() : ''
}

function shorten(faults: readonly string[]): string[] {
  const more = faults.length - maxFaultsShown
  return [...faults.slice(0, maxFaultsShown), ...(more > 0 ? [`… and ${String(more)} more`] : [])]
}

const members = new Set([
  'name',
  'organization',
  'address',
  'origins',
  'accountFields',
  'minAmount',
  'maxAmount',
  'limits',
  'strictServerAuth',
  'requireFormSessions',
  'refundUnconfirmedMax',
  'requireSecondFactor',
  'businessId',
  'epos',
  'brandColor',
  'logo',
])
const maxMerchants = 10_000
const maxFaultsShown = 50
