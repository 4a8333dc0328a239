import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Profile } from '@tessera/contract/profile'

import { noMerchantApi, type MerchantApi } from '../adapters/merchant-api/merchant-api.ts'
import type { Network } from '../adapters/network/network.ts'
import { makeSandboxHolder } from '../adapters/sandbox/holder.ts'
import { makeSandboxNetwork } from '../adapters/sandbox/network.ts'
import { makeSandboxSms } from '../adapters/sandbox/sms.ts'
import type { Codes } from '../adapters/sms/codes.ts'
import type { Sms } from '../adapters/sms/sms.ts'
import { createApp, type App } from '../app.ts'
import { adaptersOf, type Adapters } from '../app/adapters.ts'
import type { ServiceOverrides } from '../app/service-overrides.ts'
import type { ComposedServices } from '../app/services.ts'
import { notChecked } from '../domain/page-check/fetch-page.ts'
import type { StoreReport } from '../ops/audit/check.ts'
import type { Config } from '../ops/config/config.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import { toDeferredScript, type FormAssets } from '../server/pages/form-assets.ts'
import { writeMigratedDatabase } from '../store/sqlite/migrated-database.fixture.ts'
import type { Store } from '../store/store.ts'

import { makeHandClock, withRealSleeps, type HandClock } from './clock.fixture.ts'
import { defaultConfig } from './default-config.fixture.ts'
import { makeTestKek } from './kek.fixture.ts'
import { randomHex } from './random.fixture.ts'
import { createTestMerchant, type TestMerchant } from './test-merchant.fixture.ts'

/** The application on a store of its own, with a clock that the test moves: its services, and merchants that call it. Nothing listens. */
export interface TestApp extends Omit<ComposedServices, 'clock'> {
  readonly app: App
  readonly clock: HandClock
  /** The logged errors: tampered rows, and background jobs that failed. */
  readonly alarms: string[]
  /** What `tessera audit verify` finds. */
  verifyAudit(): Promise<StoreReport>
  /** A caller of a new merchant, or of the named one. */
  merchant(profile?: Profile, merchantId?: string): TestMerchant
  /** A second call changes nothing. */
  close(): Promise<void>
}

export interface TestAppOptions extends Omit<ServiceOverrides, 'limits'> {
  /** Settings by their names, over the defaults. */
  readonly config?: Partial<Config>
  readonly codes?: Codes
  /** Takes the sandbox's adapter and returns the one to use. */
  readonly network?: (sandbox: Network) => Network
  readonly sms?: (sandbox: Sms) => Sms
  readonly adapters?: Partial<Adapters>
  readonly environment?: Config['environment']
  /** Default: no limits. */
  readonly limits?: (deps: Pick<TestApp, 'keyring' | 'clock'>) => ReturnType<NonNullable<ServiceOverrides['limits']>>
  /** The endpoint of every merchant. Default: none. */
  readonly endpoint?: (deps: Pick<TestApp, 'clock'>) => MerchantApi
  /** A store that the test opens and closes. Default: an embedded store in a temporary folder. */
  readonly store?: Store
  /** A stopped application whose keys, clock and endpoint this one continues to use, on the given store. */
  readonly continues?: Pick<TestApp, 'keyring' | 'clock' | 'endpoint'>
}

/** Where the app is closed: the context of a test, or `{ after }` of node:test for a whole file or the test that runs. */
export interface TestScope {
  after(close: () => Promise<void>): void
}

/**
 * Creates the service for a test. It is closed when the test ends, or earlier by a test that closes its store:
 *
 *     const app = await createTestApp(t, { environment: 'production' })
 */
export async function createTestApp(t: TestScope, options: TestAppOptions = {}): Promise<TestApp> {
  const { continues, environment = 'test' } = options
  const clock = continues?.clock ?? makeHandClock()
  const folder = mkdtempSync(join(tmpdir(), 'tessera-app-'))
  if (options.store === undefined) writeMigratedDatabase(folder)
  const alarms: string[] = []
  const config: Config = {
    ...defaultConfig,
    environment,
    dataFolder: folder,
    limits: environment === 'test' ? null : false,
    ...options.config,
  }
  // While the application is composed, its test cannot move the clock yet: whoever waits then for a database that is slow for a moment waits in real time.
  const composed = withRealSleeps(clock)
  const app = await createApp(config, testAdapters(options), {
    clock: composed.clock,
    log: alarmLog(alarms),
    metrics: noMetrics,
    stopping: new AbortController().signal,
    endNow: (_exit, _event, err) => {
      throw err
    },
    formAssets,
    overrides: {
      passwordCost: 4,
      pageCheck: noPages,
      refundsInBackgroundOnly: true,
      ...options,
      // The text that a cardholder reads, without the WebOTP line.
      verification: { formHost: null, ...options.verification },
      merchantEndpoint: continues?.endpoint ?? options.endpoint?.({ clock }) ?? noMerchantApi,
      limits: ({ keyring }) => options.limits?.({ keyring, clock }) ?? {},
    },
    ...(options.store === undefined ? {} : { store: options.store }),
    ...(continues === undefined ? {} : { keyring: continues.keyring }),
  }).finally(composed.end)
  const { services } = app
  let closed: Promise<void> | null = null
  t.after(close)
  return Object.freeze({
    ...services,
    app,
    clock,
    alarms,
    verifyAudit: () => services.storeCheck.run('audit') ?? Promise.reject(new Error('a check is running')),
    merchant: (profile: Profile = 'spec', merchantId = randomHex(24)) => createTestMerchant(services, merchantId, profile),
    close,
  })

  function close(): Promise<void> {
    return (closed ??= closeOnce())
  }

  async function closeOnce(): Promise<void> {
    await services.receiptWorker.stop()
    await app.stop()
    rmSync(folder, { recursive: true })
  }
}

/** The adapters of the environment; in production, those of the sandbox. */
function testAdapters(options: TestAppOptions): Adapters {
  const { environment = 'test', codes, network, sms } = options
  const { test } = adaptersOf
  const offered = adaptersOf[environment]
  return {
    ...(test as Adapters),
    ...Object.fromEntries(Object.entries(offered).filter(([name, part]) => part !== null || name === 'sandbox' || name === 'texts')),
    openKek: () => Promise.resolve(makeTestKek()),
    openNextKek: () => Promise.resolve(null),
    networks: (deps) => [{ name: 'sandbox', port: (network ?? ((sandbox) => sandbox))(makeSandboxNetwork(deps)) }],
    sms: (deps) => [{ name: 'sandbox', port: (sms ?? ((sandbox) => sandbox))(makeSandboxSms(deps)) }],
    holder: makeSandboxHolder,
    ...(codes === undefined ? {} : { codes }),
    ...options.adapters,
  }
}

/** Collects logged errors. */
export function alarmLog(alarms: string[]): Log {
  const ignore = (): void => undefined
  return {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error(event, fields = {}) {
      const { err, receiptId, cardId, merchantId } = fields
      const subject = receiptId ?? (cardId || merchantId)
      alarms.push(err === undefined ? `${event} ${String(subject)}` : `failed ${err instanceof Error ? String(err) : 'not an error'}`)
    },
    maskedCount: () => 0,
    dropped: () => 0,
  }
}

export const noMetrics: Metrics = {
  countRequest() {},
  countMerchantEndpoint() {},
  countLimit() {},
  countPeerRefusal() {},
  countSignIn() {},
  countTamperedRow() {},
  countCheckpoint() {},
  countAuditFault() {},
  countClientAbort() {},
  countConnectionCut() {},
  observeNetworkCall() {},
  observeSmsSend() {},
  countSmsDelivery() {},
  countWebhookAttempt() {},
  observeDeliveryDelay() {},
  observeShed() {},
  observeCommit() {},
  countReceiptTransition() {},
  countJobRun() {},
  registerGauge() {},
  render: () => Promise.resolve(''),
  collect: () => Promise.resolve([]),
  close() {},
}

const noPages: NonNullable<ServiceOverrides['pageCheck']> = {
  fetchPage: () => Promise.reject(notChecked('unreachable')),
  parse: () => Promise.resolve({ findings: [], scripts: [], isCut: false }),
}

/** A placeholder for the built form, whose pages are not served. */
const formAssets: FormAssets = {
  version: '0.0.0',
  script: '',
  deferred: toDeferredScript('deferred', Buffer.alloc(0)),
  appearance: toDeferredScript('appearance', Buffer.alloc(0)),
  preview: '',
  style: '',
  hosted: { script: '', style: '' },
  texts: { en: {}, ru: {}, uz: {} },
  files: new Map(),
}
