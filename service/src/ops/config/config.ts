import { listAdapterSettings } from '../../adapters/adapter.ts'
import { kekAdapters } from '../../adapters/kms/kek-adapters.ts'
import { networkAdapters } from '../../adapters/network/network-adapters.ts'
import { smsAdapters } from '../../adapters/sms/sms-adapters.ts'
import { adminSettings } from './admin.ts'
import { auditSettings } from './audit.ts'
import { dashboardSettings } from './dashboard.ts'
import { limitSettings } from './limits.ts'
import { memorySettings } from './memory.ts'
import { peerBoundSettings } from './peers.ts'
import { logSettings } from './log.ts'
import { requestLogSettings } from './request-log.ts'
import { stopSettings } from './stop.ts'
import { collectSettings } from './sources.ts'
import type { Origin } from './sources.ts'
import type { DisclosureSetting, Setting } from './values.ts'

const table = [
  {
    name: 'environment',
    env: 'TESSERA_ENV',
    flag: '--env',
    type: 'choice',
    choices: ['test', 'production'],
    default: 'test',
    meaning: 'The environment: test has sandbox cards and a demo merchant, production has neither.',
  },
  {
    name: 'configFile',
    env: 'TESSERA_CONFIG',
    flag: '--config',
    type: 'path',
    default: null,
    meaning: 'A JSON file of settings by name. Environment variables and flags override it.',
  },
  {
    name: 'host',
    env: 'TESSERA_HOST',
    flag: '--host',
    type: 'host',
    default: '127.0.0.1',
    meaning: 'Address that the API listens on.',
  },
  {
    name: 'port',
    env: 'TESSERA_PORT',
    flag: '--port',
    type: 'port',
    default: 8080,
    meaning: 'Port of the API; 0 selects a free one.',
  },
  ...adminSettings,
  {
    name: 'dataFolder',
    env: 'TESSERA_DATA',
    flag: '--data',
    type: 'path',
    default: './data',
    meaning: 'Folder of the embedded database, the lock, the control socket and, in test, the development key.',
  },
  {
    name: 'databaseUrl',
    env: 'TESSERA_DATABASE_URL',
    flag: '--database-url',
    type: 'postgresUrl',
    default: null,
    meaning:
      'PostgreSQL to use instead of the embedded database; several hosts may be given, and the service finds the primary among them.',
    secret: true,
  },
  {
    name: 'keysDatabaseUrl',
    env: 'TESSERA_KEYS_DATABASE_URL',
    flag: '--keys-database-url',
    type: 'postgresUrl',
    default: null,
    meaning: 'PostgreSQL database of the wrapped data keys, apart from the backups of the cards. By default they are in databaseUrl.',
    secret: true,
    production: 'required with databaseUrl, and a different database: a backup of the cards must not contain their keys',
  },
  {
    name: 'databaseWaitSeconds',
    env: 'TESSERA_DATABASE_WAIT_SECONDS',
    flag: '--database-wait-seconds',
    type: 'integer',
    from: 0,
    to: 600,
    default: 30,
    meaning: 'How long a start waits for a database that does not respond.',
    source: 'a container and its database are often started together',
  },
  {
    name: 'databaseWriters',
    env: 'TESSERA_DATABASE_WRITERS',
    flag: '--database-writers',
    type: 'integer',
    from: 1,
    to: 64,
    default: 4,
    meaning: 'Connections of one process that write to PostgreSQL, each one transaction at a time and with an audit chain of its own.',
    source: 'each is one of the server’s max_connections and one audit chain; npm run bench -- pay compares 1 to 16',
  },
  {
    name: 'storeMegabytesMax',
    env: 'TESSERA_STORE_MEGABYTES_MAX',
    flag: '--store-megabytes-max',
    type: 'integer',
    from: 1,
    to: 1_000_000,
    default: null,
    meaning:
      'Largest size of the embedded database; beyond it writes are refused and reads still work. By default limited by the disk only.',
  },
  {
    name: 'trustedProxies',
    env: 'TESSERA_TRUSTED_PROXIES',
    flag: '--trusted-proxies',
    type: 'addresses',
    default: null,
    meaning: 'Proxies and load balancers in front of the service. Only from these peers is the client address taken from proxyHeader.',
    source: 'no proxy is trusted by default: anyone can write anything into a header',
  },
  {
    name: 'proxyHeader',
    env: 'TESSERA_PROXY_HEADER',
    flag: '--proxy-header',
    type: 'choice',
    choices: ['x-forwarded-for', 'forwarded'],
    default: 'x-forwarded-for',
    meaning: 'The header in which trustedProxies send the client address; the other header is ignored.',
  },
  {
    name: 'formOrigin',
    env: 'TESSERA_FORM_ORIGIN',
    flag: '--form-origin',
    type: 'origin',
    default: null,
    meaning: 'Origin of the secure card form; in test http://127.0.0.1 with the port.',
    production: 'required, https, and another host name than dashboardOrigin',
  },
  ...dashboardSettings,
  {
    name: 'providerName',
    env: 'TESSERA_PROVIDER_NAME',
    flag: '--provider-name',
    type: 'text',
    default: null,
    meaning: 'Name of the provider that runs this service, as shown to cardholders.',
    production: 'required',
  },
  {
    name: 'termsUrl',
    env: 'TESSERA_TERMS_URL',
    flag: '--terms-url',
    type: 'webUrl',
    default: null,
    meaning: "Page of the provider's terms.",
    production: 'required',
  },
  {
    name: 'privacyUrl',
    env: 'TESSERA_PRIVACY_URL',
    flag: '--privacy-url',
    type: 'webUrl',
    default: null,
    meaning: "Page of the provider's privacy policy.",
    production: 'required',
  },
  {
    name: 'disclosure',
    env: 'TESSERA_DISCLOSURE',
    flag: '--disclosure',
    type: 'disclosure',
    default: null,
    meaning: 'The text a cardholder agrees to when a card is stored: JSON with version, en, ru and uz.',
    production: 'required',
  },
  ...logSettings,
  {
    name: 'limits',
    env: 'TESSERA_LIMITS',
    flag: '--limits',
    type: 'switch',
    default: null,
    meaning: 'Daily caps and velocity limits. Off in test, where they can be switched on to try them.',
    production: 'always on: off is refused',
  },
  ...limitSettings,
  ...requestLogSettings,
  ...auditSettings,
  {
    name: 'inFlightMax',
    env: 'TESSERA_IN_FLIGHT_MAX',
    flag: '--in-flight-max',
    type: 'integer',
    from: 1,
    to: 100_000,
    default: 2000,
    meaning: 'Maximum number of calls in progress; further calls are refused with retry_after.',
    source: 'below the 8,192 writes that may wait for the store',
  },
  {
    name: 'connectionInFlightMax',
    env: 'TESSERA_CONNECTION_IN_FLIGHT_MAX',
    flag: '--connection-in-flight-max',
    type: 'integer',
    from: 1,
    to: 100_000,
    default: 64,
    meaning: 'Maximum number of calls in progress on one connection; further calls are refused with retry_after.',
    source: 'proxies and client libraries send one at a time',
  },
  {
    name: 'addressInFlightMax',
    env: 'TESSERA_ADDRESS_IN_FLIGHT_MAX',
    flag: '--address-in-flight-max',
    type: 'integer',
    from: 1,
    to: 100_000,
    default: 500,
    meaning:
      'Maximum number of calls in progress from one client address (IPv6: /64); further calls are refused with retry_after. List your proxies in trustedProxies.',
    source: 'a quarter of inFlightMax',
  },
  {
    name: 'connectionsMax',
    env: 'TESSERA_CONNECTIONS_MAX',
    flag: '--connections-max',
    type: 'integer',
    from: 1,
    to: 100_000,
    default: 8192,
    meaning: 'Maximum number of open connections; further ones are closed.',
    source: 'some 20 KB of memory each',
  },
  {
    name: 'addressConnectionsMax',
    env: 'TESSERA_ADDRESS_CONNECTIONS_MAX',
    flag: '--address-connections-max',
    type: 'integer',
    from: 1,
    to: 100_000,
    default: 1024,
    meaning: 'Maximum number of connections of one client address (IPv6: /64); those of trustedProxies are not counted.',
    source: 'an eighth of connectionsMax',
  },
  ...memorySettings,
  ...peerBoundSettings,
  {
    name: 'otpLifetimeSeconds',
    env: 'TESSERA_OTP_LIFETIME_SECONDS',
    flag: '--otp-lifetime-seconds',
    type: 'integer',
    from: 10,
    to: 600,
    default: 180,
    meaning: 'Lifetime of an SMS code.',
    source: 'at most 10 minutes: OWASP ASVS 5.0 V6.5.5',
  },
  {
    name: 'otpAttemptsMax',
    env: 'TESSERA_OTP_ATTEMPTS_MAX',
    flag: '--otp-attempts-max',
    type: 'integer',
    from: 1,
    to: 10,
    default: 5,
    meaning: 'Attempts per SMS code.',
    source: 'six digits and five attempts: one chance in 200,000 per code',
  },
  {
    name: 'resendWaitSeconds',
    env: 'TESSERA_RESEND_WAIT_SECONDS',
    flag: '--resend-wait-seconds',
    type: 'integer',
    from: 1,
    to: 3600,
    default: 60,
    meaning: 'Time until another code may be requested.',
    source: 'the wait of the Payme Subscribe API',
  },
  {
    name: 'cardDayAttemptsMax',
    env: 'TESSERA_CARD_DAY_ATTEMPTS_MAX',
    flag: '--card-day-attempts-max',
    type: 'integer',
    from: 1,
    to: 100,
    default: 15,
    meaning: 'Attempts per card number and day, over all its codes and tokens.',
    source: 'three codes of five attempts',
  },
  {
    name: 'unverifiedLifetimeMinutes',
    env: 'TESSERA_UNVERIFIED_LIFETIME_MINUTES',
    flag: '--unverified-lifetime-minutes',
    type: 'integer',
    from: 1,
    to: 1440,
    default: 30,
    meaning: 'Lifetime of an unverified token; afterwards its sealed card number is deleted.',
    source: 'enough for several codes',
  },
  {
    name: 'oneTimeLifetimeHours',
    env: 'TESSERA_ONE_TIME_LIFETIME_HOURS',
    flag: '--one-time-lifetime-hours',
    type: 'integer',
    from: 1,
    to: 168,
    default: 24,
    meaning: 'Lifetime of a verified token that was created without save.',
    source: 'one day to pay',
  },
  {
    name: 'networkTimeoutMs',
    env: 'TESSERA_NETWORK_TIMEOUT_MS',
    flag: '--network-timeout-ms',
    type: 'integer',
    from: 100,
    to: 60_000,
    default: 12_000,
    meaning: 'Timeout of calls to card networks.',
    source: 'above the slowest replies known of networks (10 s)',
  },
  {
    name: 'smsTimeoutMs',
    env: 'TESSERA_SMS_TIMEOUT_MS',
    flag: '--sms-timeout-ms',
    type: 'integer',
    from: 100,
    to: 60_000,
    default: 3000,
    meaning: 'Timeout of calls to SMS gateways.',
    source: 'a cardholder is waiting at a form',
  },
  ...stopSettings,
] as const satisfies readonly Setting[]

/** Every setting: `--help`, the settings page, the readers and the types below come from this table alone. */
export const settings: readonly Setting[] = Object.freeze([
  ...table,
  ...listAdapterSettings(kekAdapters),
  ...listAdapterSettings(smsAdapters),
  ...listAdapterSettings(networkAdapters),
])

/** What the settings say, as values that cannot be wrong any more. Paths are absolute. */
export type Config = { readonly [S in Row as S['name']]: S['default'] extends null ? ValueOf<S> | null : ValueOf<S> }

export interface ReadSettings {
  readonly config: Config
  readonly origins: Readonly<Record<string, Origin>>
  /** Words of the command line that are no setting. */
  readonly rest: readonly string[]
}

/** Reads flags over environment over config file over defaults. Throws `InvalidSettingsError`, which names every fault at once. */
export function readConfig(args: readonly string[], environment: NodeJS.ProcessEnv = process.env): ReadSettings {
  const collected = collectSettings(settings, args, environment)
  return { config: collected.values as Config, origins: collected.origins, rest: collected.rest }
}

type Row = (typeof table)[number]
type ValueOf<S extends Row> = S extends { choices: readonly (infer W)[] }
  ? W
  : {
      path: string
      host: string
      port: number
      integer: number
      postgresUrl: string
      origin: string
      text: string
      webUrl: string
      httpUrl: string
      syslogUrl: string
      switch: boolean
      addresses: readonly string[]
      digits: readonly string[]
      disclosure: DisclosureSetting
      choice: never
    }[S['type']]
