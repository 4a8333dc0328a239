import { userInfo } from 'node:os'
import { listAdapterSettings } from '../../adapters/adapter.ts'
import { holderAdapters } from '../../adapters/holder/holder-adapters.ts'
import { kekAdapters } from '../../adapters/kms/kek-adapters.ts'
import { networkAdapters } from '../../adapters/network/network-adapters.ts'
import { smsAdapters } from '../../adapters/sms/sms-adapters.ts'
import { adminSettings } from './admin.ts'
import { auditSettings } from './audit.ts'
import { clockSettings } from './clock.ts'
import { dashboardSettings } from './dashboard.ts'
import { databaseSettings } from './database.ts'
import { outboundSettings } from './outbound.ts'
import { providerSettings } from './provider.ts'
import { keySettings } from './keys.ts'
import { limitSettings } from './limits.ts'
import { memorySettings } from './memory.ts'
import { peerBoundSettings } from './peers.ts'
import { logSettings } from './log.ts'
import { requestLogSettings } from './request-log.ts'
import { stopSettings } from './stop.ts'
import { traceSettings } from './traces.ts'
import { workerSettings } from './workers.ts'
import { handOverSettings } from './hand-over.ts'
import { tlsSettings } from './tls.ts'
import { withSecretFiles } from './secret-files.ts'
import { collectSettings } from './sources.ts'
import type { Origin } from './sources.ts'
import type { DisclosureSetting, Setting } from './values.ts'
import type { NetworkPolicySettings, StopSubjectKind } from './policy-values.ts'
import { verificationPolicySettings } from './verification.ts'

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
  ...workerSettings,
  ...adminSettings,
  {
    name: 'dataFolder',
    env: 'TESSERA_DATA',
    flag: '--data',
    type: 'path',
    default: './data',
    meaning: 'Folder of the embedded database, the lock, the control socket and, in test, the development key.',
  },
  ...databaseSettings,
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
  ...tlsSettings,
  ...providerSettings,
  ...outboundSettings,
  ...logSettings,
  ...traceSettings,
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
    meaning:
      'Maximum number of open connections; further ones are closed. So are new ones while the process has more than 85 % of its memory.',
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
  ...verificationPolicySettings,
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
  {
    name: 'smsSendsDays',
    env: 'TESSERA_SMS_SENDS_DAYS',
    flag: '--sms-sends-days',
    type: 'integer',
    from: 1,
    to: 400,
    default: 30,
    meaning: 'For how many days it is stored what became of each message, with a keyed hash of its phone; tessera sms find reads it.',
    source: 'a cardholder complains within weeks',
  },
  {
    name: 'holderTimeoutMs',
    env: 'TESSERA_HOLDER_TIMEOUT_MS',
    flag: '--holder-timeout-ms',
    type: 'integer',
    from: 100,
    to: 60_000,
    default: 3000,
    meaning: "Timeout of calls to the service that says whether a phone is the cardholder's.",
    source: 'a cardholder is waiting at a form',
  },
  ...clockSettings,
  ...keySettings,
  ...handOverSettings,
  ...stopSettings,
] as const satisfies readonly Setting[]

/** Every setting: `--help`, the settings page, the readers and the types below come from this table alone. */
export const settings: readonly Setting[] = Object.freeze([
  ...withSecretFiles(table),
  ...listAdapterSettings(kekAdapters),
  ...listAdapterSettings(smsAdapters),
  ...listAdapterSettings(networkAdapters),
  ...listAdapterSettings(holderAdapters),
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
      alphabet: string
      stopSubjects: readonly StopSubjectKind[]
      policies: Readonly<Record<string, NetworkPolicySettings>>
      disclosure: DisclosureSetting
      choice: never
    }[S['type']]

/** The user who runs a command: the one who ran sudo, where the command runs as the service's user. */
export function findInvokingUser(environment: NodeJS.ProcessEnv = process.env): string {
  return environment['SUDO_USER'] ?? userInfo().username
}
