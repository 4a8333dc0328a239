import { readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { AdapterConfigError, readSecretFile } from '../../adapters/adapter.ts'

import { secretFileName } from './secret-files.ts'
import { readValue, describeExpected, explainValue } from './values.ts'
import type { Setting, SettingValue } from './values.ts'
import { nearest } from '../nearest.ts'

/** Thrown for invalid settings. `faults` lists every one, without secrets. */
export class InvalidSettingsError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.name = 'InvalidSettingsError'
    this.faults = faults
  }
}

/** Where a value came from. */
export type Origin = 'flag' | 'environment' | 'file' | 'secret file' | 'default'

export interface CollectedSettings {
  readonly values: Readonly<Record<string, SettingValue | null>>
  readonly origins: Readonly<Record<string, Origin>>
  readonly rest: readonly string[]
}

/** Merges flags, environment, config file and defaults, in this order of precedence. */
export function collectSettings(settings: readonly Setting[], args: readonly string[], environment: NodeJS.ProcessEnv): CollectedSettings {
  const faults: string[] = []
  const flags = readFlags(settings, args, faults)
  const variables = readVariables(settings, environment, faults)
  const file = readFile(settings, flags.given.get('configFile') ?? variables.get('configFile'), faults)
  const values: Record<string, SettingValue | null> = {}
  const origins: Record<string, Origin> = {}
  for (const setting of settings) {
    const found = find(setting.name, flags.given, variables, file)
    origins[setting.name] = found?.origin ?? 'default'
    values[setting.name] = readOne(setting, found, faults)
  }
  for (const setting of settings.filter(({ secret }) => secret === true)) {
    const holder = settings.find(({ name }) => name === secretFileName(setting))
    const path = holder === undefined ? null : values[holder.name]
    if (holder?.secretOf !== setting.name || typeof path !== 'string') continue
    if (origins[setting.name] !== 'default') faults.push(`${setting.env} and ${holder.env} are both set: remove one of them.`)
    origins[setting.name] = 'secret file'
    values[setting.name] = readSecret(setting, holder, path, faults)
  }
  if (faults.length > 0) throw new InvalidSettingsError(faults)
  return { values: Object.freeze(values), origins: Object.freeze(origins), rest: flags.rest }
}

/** The value of a secret setting that is in a file. */
function readSecret(setting: Setting, holder: Setting, path: string, faults: string[]): SettingValue | null {
  try {
    const value = readValue(setting, readSecretFile(path))
    if (value === null) faults.push(`${holder.env} names ${path}, whose line is not ${describeExpected(setting)}.`)
    return value
  } catch (err) {
    if (!(err instanceof AdapterConfigError)) throw err
    faults.push(`${holder.env}: ${err.message}`)
    return null
  }
}

type GivenValues = ReadonlyMap<string, unknown>

interface GivenValue {
  readonly given: unknown
  readonly origin: Origin
}

function find(name: string, flags: GivenValues, variables: GivenValues, file: GivenValues): GivenValue | null {
  if (flags.has(name)) return { given: flags.get(name), origin: 'flag' }
  if (variables.has(name)) return { given: variables.get(name), origin: 'environment' }
  if (file.has(name)) return { given: file.get(name), origin: 'file' }
  return null
}

function readOne(setting: Setting, found: GivenValue | null, faults: string[]): SettingValue | null {
  if (found === null) return setting.default === null ? null : readValue(setting, setting.default)
  const value = readValue(setting, found.given)
  if (value === null)
    faults.push(
      `${displayName(setting, found.origin)} is ${displayValue(setting, found.given)}; expected ${describeExpected(setting)}.${hintFor(setting, found.given)}`,
    )
  return value
}

/** The name of a setting as the operator wrote it. */
function displayName(setting: Setting, origin: Origin): string {
  return {
    flag: setting.flag,
    environment: setting.env,
    file: `"${setting.name}" in the config file`,
    'secret file': setting.env,
    default: setting.name,
  }[origin]
}

function displayValue(setting: Setting, given: unknown): string {
  if (setting.secret === true) return 'not usable (its value is not shown)'
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  return `"${text.length > 80 ? `${text.slice(0, 80)}…` : text}"`
}

function hintFor(setting: Setting, given: unknown): string {
  const explanation = explainValue(setting, given)
  if (explanation !== null) return ` ${explanation}`
  const isServiceLink = typeof given === 'string' && given.startsWith('tcp://')
  return isServiceLink ? ' Kubernetes sets it for a service named "tessera": set enableServiceLinks: false in the pod.' : ''
}

// Flags.

function readFlags(settings: readonly Setting[], args: readonly string[], faults: string[]): { given: GivenValues; rest: string[] } {
  const byFlag = new Map(settings.map((setting) => [setting.flag.slice(2), setting]))
  const options = Object.fromEntries([...byFlag.keys()].map((flag) => [flag, { type: 'string' as const }]))
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
  const given = new Map<string, unknown>()
  const rest: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') rest.push(token.value)
    if (token.kind !== 'option') continue
    const setting = byFlag.get(token.name)
    if (setting === undefined) faults.push(`${token.rawName} is not a setting.${suggestion(token.rawName, flagsOf(settings))}`)
    else if (given.has(setting.name)) faults.push(`${setting.flag} is given twice.`)
    else given.set(setting.name, token.value ?? '')
  }
  return { given, rest }
}

function flagsOf(settings: readonly Setting[]): string[] {
  return settings.map((setting) => setting.flag)
}

// Environment.

function readVariables(settings: readonly Setting[], environment: NodeJS.ProcessEnv, faults: string[]): GivenValues {
  const byEnv = new Map(settings.map((setting) => [setting.env, setting]))
  const given = new Map<string, unknown>()
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('TESSERA_') || isForTools(name)) continue
    const setting = byEnv.get(name)
    if (setting === undefined) faults.push(`${name} is not a setting.${suggestion(name, [...byEnv.keys()])}`)
    else if (value !== undefined && value !== '') given.set(setting.name, value)
  }
  return given
}

/** TESSERA_NODE chooses the runtime, TESSERA_URL and TESSERA_TEST_… are for examples and tests: they are not settings. */
function isForTools(name: string): boolean {
  return name === 'TESSERA_NODE' || name === 'TESSERA_URL' || name.startsWith('TESSERA_TEST_')
}

// The config file.

function readFile(settings: readonly Setting[], path: unknown, faults: string[]): GivenValues {
  const given = new Map<string, unknown>()
  if (typeof path !== 'string') return given
  const members = readMembers(path, faults)
  const names = settings.map((setting) => setting.name)
  for (const [name, value] of Object.entries(members)) {
    if (!names.includes(name)) faults.push(`"${name.slice(0, 64)}" in ${path} is not a setting.${suggestion(name, names)}`)
    else if (name === 'configFile') faults.push(`"configFile" cannot be set in the config file itself.`)
    else given.set(name, value)
  }
  return given
}

function readMembers(path: string, faults: string[]): object {
  try {
    if (statSync(path).size > FILE_BYTES_MAX) throw new Error(`larger than ${String(FILE_BYTES_MAX)} bytes`)
    const text = readFileSync(path, 'utf8')
    if (text.trim() === '') throw new Error('it is empty; without settings it has {}')
    const members: unknown = JSON.parse(text)
    if (typeof members === 'object' && members !== null && !Array.isArray(members)) return members
    faults.push(`The config file ${path} must be one JSON object of settings by name.`)
  } catch (err) {
    faults.push(
      `The config file ${path} cannot be read: ${err instanceof SyntaxError ? 'it is not JSON (comments are not allowed)' : reasonOf(err)}.`,
    )
  }
  return {}
}

function reasonOf(err: unknown): string {
  const { code, message } = err as NodeJS.ErrnoException
  return code ?? message
}

function suggestion(word: string, known: readonly string[]): string {
  const guess = nearest(word, known)
  return guess === null ? '' : ` Did you mean ${guess}?`
}

const FILE_BYTES_MAX = 64 * 1024
