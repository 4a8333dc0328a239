import { readConfig, settings } from '../config/config.ts'
import { secretFileName } from '../config/secret-files.ts'
import type { Setting } from '../config/values.ts'
import { settingName } from '../../adapters/adapter.ts'
import { holderAdapters } from '../../adapters/holder/holder-adapters.ts'
import { kekAdapters } from '../../adapters/kms/kek-adapters.ts'
import { networkAdapters } from '../../adapters/network/network-adapters.ts'
import { smsAdapters } from '../../adapters/sms/sms-adapters.ts'
import { usesHolderService } from '../../domain/verification/policy.ts'
import { readTransport } from '../../store/postgres/hosts.ts'

/** What is known so far: settings by name, as texts or as in the config file. */
export type Answers = ReadonlyMap<string, unknown>

/** One question of `tessera init`: the setting that it fills, and how it is put. */
export interface InitQuestion {
  readonly setting: Setting
  readonly text: string
  /** Whether an empty answer is accepted. */
  readonly isOptional: boolean
}

interface QuestionRow {
  readonly name: string
  readonly text: string
  readonly isOptional?: true
  /** The values that production accepts, where the setting has others as well. */
  readonly choices?: readonly string[]
  /** Put only when this holds for the answers before it. */
  readonly when?: (answers: Answers) => boolean
}

const rows: readonly QuestionRow[] = [
  { name: 'formOrigin', text: 'Origin of the card form, as cardholders reach it (https://pay.example.uz)' },
  { name: 'dashboardOrigin', text: "Origin of the merchants' dashboard, on another host name (https://merchants.example.uz)" },
  {
    name: 'apiOrigin',
    text: 'Origin of the API, on a host name other than that of the dashboard (https://api.example.uz); empty: the API is served on every host',
    isOptional: true,
  },
  {
    name: 'tlsCertFile',
    text: 'PEM file with the certificate chain of these hosts; empty: TLS ends in a proxy',
    isOptional: true,
  },
  {
    name: 'tlsKeyFile',
    text: 'PEM file with the private key of that certificate',
    when: (answers) => isGiven(answers, 'tlsCertFile'),
  },
  {
    name: 'trustedProxies',
    text: 'Addresses of the proxies in front of the service, with commas between them (10.0.0.7, 10.1.0.0/24); empty: none',
    isOptional: true,
  },
  { name: 'dataFolder', text: 'Data folder of this process', isOptional: true },
  {
    name: 'databaseUrl',
    text: 'PostgreSQL of the cards (postgres://user:password@db.example/cards?sslmode=verify-full); empty: the embedded database, for one machine',
    isOptional: true,
  },
  {
    name: 'keysDatabaseUrl',
    text: 'PostgreSQL of the keys, another database (postgres://user:password@db.example/keys?sslmode=verify-full)',
    when: (answers) => isGiven(answers, 'databaseUrl'),
  },
  {
    name: 'databaseTransport',
    text: 'The databases are reached over TCP without sslmode=verify-full: correct the URLs later (tls), or declare the line private',
    when: isDatabaseInClear,
  },
  {
    name: 'databasePrivateReason',
    text: 'Why that line needs no TLS',
    when: (answers) => answers.get('databaseTransport') === 'private',
  },
]

const rowsOfProvider: readonly QuestionRow[] = [
  { name: 'providerName', text: 'Name of the provider, as cardholders read it' },
  { name: 'providerAddress', text: 'Postal address of the provider', isOptional: true },
  { name: 'providerUrl', text: "The provider's own site (https://provider.example)" },
  { name: 'termsUrl', text: 'Page with the terms (https://provider.example/terms)' },
  { name: 'privacyUrl', text: 'Page with the privacy policy (https://provider.example/privacy)' },
  { name: 'disclosure', text: 'The text a cardholder agrees to when a card is stored' },
  { name: 'outboundNetworks', text: "Private networks in which merchants' endpoints may be (10.20.0.0/16); empty: none", isOptional: true },
]

const ports = [kekAdapters, smsAdapters, networkAdapters, holderAdapters] as const

/** The next question that the answers leave open; null when there is none. The questions for an adapter follow its choice. */
export function findNextQuestion(answers: Answers, isSkipped: (name: string) => boolean): InitQuestion | null {
  const needed = ports.filter((port) => port !== holderAdapters || needsHolderService(answers))
  const listed = [...rows, ...needed.flatMap((port) => listPortQuestions(port, answers)), ...rowsOfProvider]
  const row = listed.find(({ name, when }) => !isGiven(answers, name) && !isSkipped(name) && (when === undefined || when(answers)))
  if (row === undefined) return null
  const { name, text, choices, isOptional = false } = row
  const setting = requireSetting(name)
  return { setting: choices === undefined ? setting : { ...setting, choices }, text, isOptional }
}

/** The names of the adapters of a port that production accepts. */
export function listProductionAdapters({ adapters }: (typeof ports)[number]): string[] {
  return adapters.filter(({ isForTestOnly }) => !isForTestOnly).map(({ name }) => name)
}

/** The choice of the adapter, and then those of its settings that have no default. None while this version has no adapter for production. */
function listPortQuestions(table: (typeof ports)[number], answers: Answers): QuestionRow[] {
  const usable = listProductionAdapters(table)
  if (usable.length === 0) return []
  const chosen = listChosen(answers.get(table.port))
  const own = table.adapters
    .filter(({ name }) => chosen.includes(name))
    .flatMap((adapter) =>
      Object.entries(adapter.settings)
        .filter(([, { row, absent }]) => row.default === null && absent === undefined)
        .map(([key]) => settings.find(({ name }) => name === settingName(table.port, adapter.name, key))),
    )
    .filter((setting) => setting !== undefined)
  return [
    { name: table.port, text: `${table.meaning} One of: ${usable.join(', ')}`, choices: usable },
    ...own.map(({ name, meaning }) => ({ name, text: meaning.replace(/ Read when .*$/, '') })),
  ]
}

/** The adapters that an answer or a setting chooses: one, or several with commas or as a list. */
export function listChosen(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'string' ? value.split(',').map((name) => name.trim()) : []
}

/** A secret setting is also given by its file. */
function isGiven(answers: Answers, name: string): boolean {
  return answers.has(name) || answers.has(secretFileName({ name }))
}

/** The settings of the verification policy are not asked for: they are in the answers when they were given, as values of the config. */
function needsHolderService(answers: Answers): boolean {
  return usesHolderService({ ...readConfig([], {}).config, ...Object.fromEntries(answers) })
}

function isDatabaseInClear(answers: Answers): boolean {
  return ['databaseUrl', 'keysDatabaseUrl'].some((name) => {
    const url = answers.get(name)
    if (typeof url !== 'string') return false
    const { isOverTcp, sslMode } = readTransport(url)
    return isOverTcp && sslMode !== 'verify-full'
  })
}

function requireSetting(wanted: string): Setting {
  const setting = settings.find(({ name }) => name === wanted)
  if (setting === undefined) throw new Error(`there is no setting ${wanted}`)
  return setting
}
