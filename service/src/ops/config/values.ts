import { readOrigin } from '@tessera/contract/origin'
import { resolve } from 'node:path'

import { readAddresses } from './proxies.ts'
import { explainNetworkPolicies, isAlphabet, readNetworkPolicies, readStopSubjects, type NetworkPolicySettings } from './policy-values.ts'

/** One thing that an operator can set: a flag, an environment variable and a line of the config file. */
export interface Setting {
  /** In code and in the config file: camelCase, the unit last. */
  readonly name: string
  readonly env: string
  readonly flag: string
  readonly type: SettingType
  /** Where `type` has a scale: the smallest and the largest number taken. */
  readonly from?: number
  readonly to?: number
  /** Where `type` is `choice` or `choices`: what may be said. */
  readonly choices?: readonly string[]
  /** The default; null: none, or as `meaning` says. */
  readonly default: string | number | null
  /** One sentence, printed by `--help` and on the settings page. */
  readonly meaning: string
  /** Never printed. */
  readonly secret?: true
  /** This setting names a file whose only line is a secret. */
  readonly isSecretFile?: true
  /** This setting names a file with the value of that secret setting. */
  readonly secretOf?: string
  /** The requirement of a production start. */
  readonly production?: string
  /** Where the default figure comes from. */
  readonly source?: string
}

/** The kinds of values that settings have. */
export type SettingType = keyof typeof readers

/** The text that a cardholder agrees to, in the three languages of the form. */
export interface DisclosureSetting {
  readonly version: string
  readonly en: string
  readonly ru: string
  readonly uz: string
}

/** The value of a setting. */
export type SettingValue =
  string | number | boolean | DisclosureSetting | readonly string[] | Readonly<Record<string, NetworkPolicySettings>>

/** Parses a setting from the text of a flag or the JSON value of a config file; null when it is invalid. */
export function readValue(setting: Setting, given: unknown): SettingValue | null {
  const text = typeof given === 'string' ? given.trim() : given
  if (text === '' || (typeof text === 'string' && text.length > TEXT_LENGTH_MAX)) return null
  return readers[setting.type].read(text, setting)
}

/** Describes the values that a setting accepts. */
export function describeExpected(setting: Setting): string {
  if (setting.type === 'choices') return `one or more of ${(setting.choices ?? []).join(', ')}, with commas between them`
  if (setting.choices !== undefined) return setting.choices.join(' or ')
  if (setting.type === 'integer') return `a whole number from ${String(setting.from)} to ${String(setting.to)}`
  return readers[setting.type].expected
}

/** What is wrong with a value that was not read; null where `describeExpected` says all. */
export function explainValue(setting: Setting, given: unknown): string | null {
  const reader: Reader = readers[setting.type]
  return reader.explain?.(given) ?? null
}

interface Reader {
  readonly expected: string
  readonly read: (given: unknown, setting: Setting) => SettingValue | null
  /** What is wrong with a value that was not read, where the kind of value is not explanation enough. */
  readonly explain?: (given: unknown) => string | null
}

const readers = {
  choice: { expected: 'one of its values', read: (given, setting) => asText(given, (text) => setting.choices?.includes(text) === true) },
  choices: { expected: 'some of its values, with commas between them', read: readChoices },
  path: { expected: 'a path', read: (given) => (typeof given === 'string' && !given.includes('\0') ? resolve(given) : null) },
  host: { expected: 'a host name or an IP address', read: (given) => asText(given, (text) => /^[0-9A-Za-z.:_-]{1,253}$/.test(text)) },
  port: { expected: 'a port from 0 to 65535', read: (given) => asInteger(given, 0, 65_535) },
  integer: {
    expected: 'a whole number',
    read: (given, setting) => asInteger(given, setting.from ?? 0, setting.to ?? Number.MAX_SAFE_INTEGER),
  },
  // Several hosts in one URL are usual for PostgreSQL and unknown to the URL parser, so the shape alone is read here.
  postgresUrl: { expected: 'postgres://user:password@host[,host]/database', read: (given) => asText(given, isPostgresUrl) },
  origin: { expected: 'an origin such as https://pay.example.uz, without a path', read: (given) => readOrigin(given) },
  webUrl: { expected: 'an https URL', read: (given) => asText(given, (text) => readUrl(text)?.protocol === 'https:') },
  httpUrl: {
    expected: 'an http or https URL',
    read: (given) => asText(given, (text) => ['http:', 'https:'].includes(readUrl(text)?.protocol ?? '')),
  },
  syslogUrl: { expected: 'udp://host:port or tcp://host:port', read: (given) => asText(given, isSyslogUrl) },
  text: { expected: 'a line of text', read: (given) => asText(given, (text) => !/[\0-\x1f\x7f]/.test(text)) },
  addresses: { expected: 'addresses and blocks such as 10.0.0.0/8, with commas between them', read: (given) => readAddresses(given) },
  digits: { expected: 'leading digits such as 998, with commas between them', read: (given) => readDigits(given) },
  switch: { expected: 'on or off', read: (given) => switches.get(given) ?? null },
  alphabet: {
    expected: 'digits, letters, or at least ten different digits and capital letters',
    read: (given) => (isAlphabet(given) ? given : null),
  },
  stopSubjects: { expected: 'card, phone and customer, with commas between them', read: (given) => readStopSubjects(given) },
  policies: {
    expected: 'JSON of policies by card network, such as {"humo":{"length":8}}',
    read: (given) => readNetworkPolicies(typeof given === 'string' ? readJson(given) : given),
    explain: (given) => explainNetworkPolicies(typeof given === 'string' ? readJson(given) : given),
  },
  disclosure: { expected: 'JSON with the members version, en, ru and uz, each a text', read: (given) => readDisclosure(given) },
} as const satisfies Record<string, Reader>

const switches: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ['on', true],
  ['off', false],
  [true, true],
  [false, false],
])

function asText(given: unknown, holds: (text: string) => boolean): string | null {
  return typeof given === 'string' && holds(given) ? given : null
}

function asInteger(given: unknown, from: number, to: number): number | null {
  const number = typeof given === 'string' && /^(0|[1-9][0-9]{0,14})$/.test(given) ? Number(given) : given
  return typeof number === 'number' && Number.isInteger(number) && number >= from && number <= to ? number : null
}

/** Each at most once. */
function readChoices(given: unknown, { choices = [] }: Setting): readonly string[] | null {
  const texts: unknown = typeof given === 'string' ? given.split(',').map((text) => text.trim()) : given
  if (!Array.isArray(texts) || texts.length === 0 || new Set(texts).size !== texts.length) return null
  return texts.every((text) => choices.includes(text as string)) ? Object.freeze([...(texts as string[])]) : null
}

function readDigits(given: unknown): readonly string[] | null {
  const texts: unknown = typeof given === 'string' ? given.split(',').map((text) => text.trim()) : given
  if (!Array.isArray(texts) || texts.length === 0 || texts.length > 100) return null
  return texts.every((text) => typeof text === 'string' && /^[1-9][0-9]{0,8}$/.test(text)) ? Object.freeze([...(texts as string[])]) : null
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\/[^\s]+$/.test(text)
}

function isSyslogUrl(text: string): boolean {
  const url = readUrl(text)
  if (url === null || !['udp:', 'tcp:'].includes(url.protocol) || url.hostname === '') return false
  return `${url.pathname}${url.search}${url.hash}${url.username}`.replace('/', '') === ''
}

function readUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}

function readDisclosure(given: unknown): DisclosureSetting | null {
  const members = typeof given === 'string' ? readJson(given) : given
  if (typeof members !== 'object' || members === null) return null
  const { version, en, ru, uz } = members as Record<string, unknown>
  if (Object.keys(members).length !== 4) return null
  return isFilled(version) && isFilled(en) && isFilled(ru) && isFilled(uz) ? { version, en, ru, uz } : null
}

function isFilled(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== ''
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const TEXT_LENGTH_MAX = 16 * 1024
