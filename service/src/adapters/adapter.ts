import { readFileSync } from 'node:fs'

import type { Clock } from '../clock.ts'
import type { Setting, SettingValue } from '../ops/config/values.ts'
import type { HttpPost, HttpClient } from './http/http-post.ts'
import { isPrivateFile } from './private-file.ts'

/** Everything that an adapter may use: no environment variables, no clock of its own, no unbounded HTTP client. */
export interface AdapterDependencies {
  /** POST with a timeout, a bounded response and no redirects. Never throws. */
  readonly http: HttpPost
  /** The same for any method and content type. */
  readonly request: HttpClient
  readonly clock: Clock
  /** Only allow-listed fields are written (`ops/logging/fields.ts`). Do not pass a phone number, a code or a card number. */
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void
  /** The service's data folder. */
  readonly dataFolder: string
}

/** One implementation of a port (SMS gateway, card network, key encryption key), chosen by a setting such as `TESSERA_SMS=<name>`. */
export interface Adapter<Port, Dependencies = AdapterDependencies, Settings extends AdapterSettings = AdapterSettings> {
  /** The value of the setting that chooses it: lower case, one word. */
  readonly name: string
  /** Part of the sandbox, or for development machines only; refused in production. */
  readonly isForTestOnly: boolean
  readonly settings: Settings
  /** It keeps sessions open with the outside system, which may allow few: every worker would open its own. */
  readonly keepsSessions?: true
  /**
   * Throws `AdapterConfigError` when settings that are valid one by one cannot be used together. A start calls it before it opens a database, so it may read
   * the files that the settings name, and must connect to nothing. What one value alone decides belongs to the `toValue` of its setting.
   */
  checkSettings?(settings: AdapterSettingValues<Settings>): void
  /**
   * The URL of the peer, by the values of settings as they are configured, where no setting alone is its address: `tessera init` connects to it. Null when
   * they name none. Reads no secret.
   */
  findAddress?(value: (key: string) => unknown): URL | null
  create(deps: Dependencies & { readonly settings: AdapterSettingValues<Settings> }): Port
}

export type AdapterSettings = Readonly<Record<string, AdapterSetting<unknown>>>

/** One setting of an adapter: its row in the settings, and the value that the adapter gets. Required unless it has a default or is optional. */
export interface AdapterSetting<T> {
  readonly row: Pick<Setting, 'type' | 'meaning' | 'default' | 'secret' | 'isSecretFile' | 'from' | 'to' | 'choices' | 'production'>
  readonly toValue: (value: SettingValue) => T
  /** What the adapter gets when the setting is not given; absent for a setting that is required. */
  readonly absent?: T
}

export type AdapterSettingValues<Settings extends AdapterSettings> = {
  readonly [Key in keyof Settings]: Settings[Key] extends AdapterSetting<infer T> ? T : never
}

// The types of adapter settings.

/** An https URL. */
export function httpsUrlSetting(meaning: string): AdapterSetting<URL> {
  return { row: { type: 'webUrl', meaning, default: null }, toValue: (value) => new URL(toText(value)) }
}

/** A line of text. */
export function textSetting(meaning: string, defaultText: string | null = null): AdapterSetting<string> {
  return { row: { type: 'text', meaning, default: defaultText }, toValue: toText }
}

/** One of a few words. */
export function choiceSetting<const Choice extends string>(
  meaning: string,
  { choices, default: byDefault }: { readonly choices: readonly Choice[]; readonly default: NoInfer<Choice> },
): AdapterSetting<Choice> {
  // A value that is none of the choices is refused when the settings are read.
  return { row: { type: 'choice', meaning, choices, default: byDefault }, toValue: (value) => toText(value) as Choice }
}

/** The path of a PEM file of authorities, or of another file of text; the adapter gets the text. A file that cannot be read is refused. */
export function textFileSetting(meaning: string): AdapterSetting<string> {
  return { row: { type: 'path', meaning, default: null }, toValue: (value) => readTextFile(toText(value)) }
}

function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (err) {
    throw new AdapterConfigError(`the file ${path} cannot be read (${(err as NodeJS.ErrnoException).code ?? 'unknown'}).`)
  }
}

/** The path of a file or folder. */
export function pathSetting(meaning: string): AdapterSetting<string> {
  return { row: { type: 'path', meaning, default: null }, toValue: toText }
}

/** A whole number between two bounds. */
export function integerSetting(meaning: string, bounds: { from: number; to: number; default: number }): AdapterSetting<number> {
  return { row: { type: 'integer', meaning, from: bounds.from, to: bounds.to, default: bounds.default }, toValue: Number }
}

/** A setting that may be left out: the adapter then gets null. */
export function optionalSetting<T>({ row, toValue }: AdapterSetting<T>): AdapterSetting<T | null> {
  return { row, toValue, absent: null }
}

/** The path of a file whose only line is a secret; the adapter gets the secret. The file must not be readable by other users. */
export function secretFileSetting(meaning: string): AdapterSetting<string> {
  return { row: { type: 'path', meaning, default: null, isSecretFile: true }, toValue: (value) => readSecretFile(toText(value)) }
}

function toText(value: SettingValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The only line of a file. Throws `AdapterConfigError` when it cannot be read, when other users can read it, or when it has not exactly one line. */
export function readSecretFile(path: string): string {
  let isPrivate: boolean
  let text: string
  try {
    isPrivate = isPrivateFile(path)
    text = readFileSync(path, 'utf8').trim()
  } catch (err) {
    throw new AdapterConfigError(`the secret file ${path} cannot be read (${(err as NodeJS.ErrnoException).code ?? 'unknown'}).`)
  }
  if (!isPrivate) {
    throw new AdapterConfigError(`the secret file ${path} can be read by other users: chmod 600 it.`)
  }
  if (text === '' || text.includes('\n')) throw new AdapterConfigError(`the secret file ${path} must have exactly one line.`)
  return text
}

/** The configuration of an adapter is invalid. The message says what to do and contains no secret. */
export class AdapterConfigError extends Error {
  override readonly name = 'AdapterConfigError'
}

// Choosing an adapter.

/** The adapters of a port by name, and the setting that chooses among them. */
export interface AdapterTable<Port, Dependencies = AdapterDependencies> {
  /** The name of the setting: `sms` for `TESSERA_SMS` and `--sms`. */
  readonly port: string
  readonly adapters: readonly Adapter<Port, Dependencies>[]
  /** Used in the test environment when the setting is not given. Production has no default. */
  readonly defaultForTest: string
  readonly meaning: string
  /** Whether several may be used at once (`TESSERA_NETWORK=uzcard,humo`). */
  readonly isMultiple?: true
  /** The requirement of a production start, where the port is not always needed. */
  readonly production?: string
}

/** An implementation of a port, under the name of its adapter. */
export interface NamedPort<Port> {
  readonly name: string
  readonly port: Port
}

/** The settings of a port: the one that chooses the adapter, then those of each adapter (`TESSERA_SMS_<ADAPTER>_<SETTING>`). */
export function listAdapterSettings<Port, Dependencies>(table: AdapterTable<Port, Dependencies>): Setting[] {
  const { port, adapters, defaultForTest, meaning, isMultiple = false } = table
  const { production = 'required, and not an adapter of the test environment' } = table
  const choice: Setting = {
    name: port,
    env: toEnv(port),
    flag: toFlag(port),
    type: isMultiple ? 'choices' : 'choice',
    choices: adapters.map(({ name }) => name),
    default: null,
    meaning: `${meaning} By default ${defaultForTest} in the test environment; production has no default.`,
    production,
  }
  const own = adapters.flatMap(({ name: adapter, settings }) =>
    Object.entries(settings).map(([key, { row }]): Setting => {
      const name = settingName(port, adapter, key)
      return {
        ...row,
        name,
        env: toEnv(name),
        flag: toFlag(name),
        meaning: `${row.meaning} Read when ${toEnv(port)} ${isMultiple ? 'names' : 'is'} ${adapter}.`,
      }
    }),
  )
  return [choice, ...own]
}

/** Why the chosen adapter of a port cannot be used, one sentence for each fault; empty when it can. */
export function findAdapterFaults<Port, Dependencies>(table: AdapterTable<Port, Dependencies>, config: ConfiguredAdapters): string[] {
  const { port, adapters } = table
  const chosen = findAdapters(table, config)
  if (chosen.length === 0) {
    const usable = adapters.filter(({ isForTestOnly }) => !isForTestOnly).map(({ name }) => name)
    const choice = usable.length === 0 ? 'this version has none for production yet' : `choose one of ${usable.join(', ')}`
    return [`missing: ${toEnv(port)} is not set; ${choice}.`]
  }
  return chosen.flatMap((adapter) => {
    const { name: adapterName, isForTestOnly, settings } = adapter
    if (config.environment === 'production' && isForTestOnly) {
      return [`forbidden: ${toEnv(port)}=${adapterName} is an adapter of the test environment.`]
    }
    const faults = Object.entries(settings).flatMap(([key, { absent, toValue }]) => {
      const name = settingName(port, adapterName, key)
      const value = config.values[name] ?? null
      if (value !== null) return findConfigFault(toEnv(name), () => toValue(value))
      return absent === undefined ? [`missing: ${toEnv(name)} is not set, and ${toEnv(port)}=${adapterName} needs it.`] : []
    })
    if (faults.length > 0) return faults
    return findConfigFault(`${toEnv(port)}=${adapterName}`, () => adapter.checkSettings?.(readAdapterSettings(port, adapter, config)))
  })
}

/** What is wrong with one value, such as the path of a secret, or with those of an adapter together. `subject` is named in front. */
function findConfigFault(subject: string, check: () => unknown): string[] {
  try {
    check()
    return []
  } catch (err) {
    if (err instanceof AdapterConfigError) return [`forbidden: ${subject}: ${err.message}`]
    throw err
  }
}

/** The values of an adapter's settings. Throws `AdapterConfigError` for one that cannot be used. */
function readAdapterSettings(
  port: string,
  { name: adapter, settings }: Pick<Adapter<never, never>, 'name' | 'settings'>,
  { values }: ConfiguredAdapters,
): AdapterSettingValues<AdapterSettings> {
  const entries = Object.entries(settings).map(([key, { toValue, absent }]) => {
    const value = values[settingName(port, adapter, key)] ?? null
    return [key, value === null ? absent : toValue(value)]
  })
  return Object.fromEntries(entries) as AdapterSettingValues<AdapterSettings>
}

/** Creates the chosen adapter. Throws `AdapterConfigError`, which lists every fault. */
export function createAdapter<Port, Dependencies>(
  table: AdapterTable<Port, Dependencies>,
  config: ConfiguredAdapters,
  deps: Dependencies,
): Port {
  const [created] = createAdapters(table, config, deps)
  if (created === undefined) throw new AdapterConfigError(`no adapter is chosen for ${table.port}`)
  return created.port
}

/** Creates the chosen adapters of a port that takes several. Throws `AdapterConfigError`, which lists every fault. */
export function createAdapters<Port, Dependencies>(
  table: AdapterTable<Port, Dependencies>,
  config: ConfiguredAdapters,
  deps: Dependencies,
): NamedPort<Port>[] {
  const faults = findAdapterFaults(table, config)
  if (faults.length > 0) throw new AdapterConfigError(faults.join('\n'))
  return findAdapters(table, config).map((adapter) => ({
    name: adapter.name,
    port: adapter.create({ ...deps, settings: readAdapterSettings(table.port, adapter, config) }),
  }))
}

/** The chosen adapters of a port and the values of their settings, without creating them. Call it when `findAdapterFaults` finds nothing. */
export function listChosenSettings<Port, Dependencies>(
  table: AdapterTable<Port, Dependencies>,
  config: ConfiguredAdapters,
): { readonly name: string; readonly settings: AdapterSettingValues<AdapterSettings> }[] {
  return findAdapters(table, config).map((adapter) => ({
    name: adapter.name,
    settings: readAdapterSettings(table.port, adapter, config),
  }))
}

/** Whether a chosen adapter keeps sessions open with its outside system. */
export function keepsSessions<Port, Dependencies>(table: AdapterTable<Port, Dependencies>, config: ConfiguredAdapters): boolean {
  return findAdapters(table, config).some((adapter) => adapter.keepsSessions === true)
}

/** The addresses of the chosen adapters that `findAddress` knows, with the variable that chose them. */
export function listAddresses<Port, Dependencies>(
  table: AdapterTable<Port, Dependencies>,
  config: ConfiguredAdapters,
): { readonly env: string; readonly address: URL }[] {
  return findAdapters(table, config).flatMap(({ name, findAddress }) => {
    const address = findAddress?.((key) => config.values[settingName(table.port, name, key)] ?? null) ?? null
    return address === null ? [] : [{ env: `${toEnv(table.port)}=${name}`, address }]
  })
}

/** The settings by name, and the environment. */
export interface ConfiguredAdapters {
  readonly environment: 'test' | 'production'
  /** As returned by `readConfig`. */
  readonly values: Readonly<Record<string, SettingValue | null>>
}

/** In the order in which they are configured. */
function findAdapters<Port, Dependencies>(
  { port, adapters, defaultForTest }: AdapterTable<Port, Dependencies>,
  config: ConfiguredAdapters,
): Adapter<Port, Dependencies>[] {
  const chosen = config.values[port] ?? (config.environment === 'test' ? defaultForTest : [])
  const names: readonly unknown[] = Array.isArray(chosen) ? chosen : [chosen]
  return names.flatMap((each) => adapters.filter(({ name }) => name === each))
}

/** The name of a setting of an adapter: `smsHttpSender` of port `sms`, adapter `http` and key `sender`. */
export function settingName(port: string, adapter: string, key: string): string {
  return [port, capitalize(adapter), capitalize(key)].join('')
}

function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

function toEnv(name: string): string {
  return `TESSERA_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`
}

function toFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, '-$&').toLowerCase()}`
}
