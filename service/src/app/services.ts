import { randomPublic } from '@tessera/vault/random'

import { makeHttpGet } from '../adapters/http/http-get.ts'
import { makeAddressGuard, resolveBySystem } from '../adapters/http/address-guard.ts'
import type { MerchantApi } from '../adapters/merchant-api/merchant-api.ts'
import { createPaymeMerchantApi } from '../adapters/merchant-api/payme.ts'
import { observeMerchantApi } from '../adapters/merchant-api/observe-merchant-api.ts'
import { openControls } from '../adapters/sandbox/controls.ts'
import { makeReset } from '../domain/merchants/reset.ts'
import { observeNetwork } from '../adapters/network/observe-network.ts'
import type { Sandbox } from '../adapters/sandbox/sandbox.ts'
import { observeSms } from '../adapters/sms/observe-sms.ts'
import type { Clock } from '../clock.ts'
import type { ChainFollower } from '../domain/freshness/chain-follower.ts'
import { makeFreshRowAuthenticator, makeRowFreshness } from '../domain/freshness/row-freshness.ts'
import { makeCardResealer } from '../domain/cards/reseal.ts'
import { cardSettings, createCardServices, type CardSettings } from '../domain/cards/services.ts'
import { makeCardSweeper } from '../domain/cards/sweep.ts'
import { makeEvidenceCollector } from '../domain/compliance/evidence.ts'
import { makeComplianceFindings } from '../domain/compliance/findings.ts'
import { makeConsents } from '../domain/consents/consents.ts'
import { makeDisclosures } from '../domain/consents/disclosures.ts'
import { makeFormSessions } from '../domain/form-sessions/form-sessions.ts'
import { makeHostedSessions } from '../domain/form-sessions/hosted.ts'
import { makeFormSessionRows } from '../domain/form-sessions/rows.ts'
import { makeFormDocumentTokens } from '../domain/form-sessions/form-document-token.ts'
import { makeKnownAnswers } from '../domain/keys/known-answers.ts'
import { makeKeyAdministration } from '../domain/keys/key-administration.ts'
import { makeIdempotency } from '../domain/idempotency/idempotency.ts'
import { idempotencySettings } from '../domain/idempotency/dependencies.ts'
import { makeMerchantEndpointAdministration, makeMerchantEndpointLookup } from '../domain/merchants/merchant-endpoint.ts'
import { makeMerchants } from '../domain/merchants/merchants.ts'
import { makeFetchPage, type FetchPage } from '../domain/page-check/fetch-page.ts'
import { makePageCheck } from '../domain/page-check/page-check.ts'
import { makeParsePage, type ParsePage } from '../domain/page-check/parse-page.ts'
import { createReceiptAdministration } from '../domain/payments/administration.ts'
import { createReceipts } from '../domain/payments/receipts.ts'
import { createReceiptWorker } from '../domain/payments/receipt-worker.ts'
import { paymentSettings, type PaymentSettings } from '../domain/payments/settings.ts'
import { makeCardReports } from '../domain/reporting/cards.ts'
import { makeCodeReports } from '../domain/reporting/verification-codes.ts'
import { makeOverview } from '../domain/reporting/overview.ts'
import { makeGettingStarted, type GettingStartedDetails } from '../domain/reporting/getting-started.ts'
import { makeCallCounters } from '../domain/reporting/call-counters.ts'
import { makeWebhookReports } from '../domain/reporting/webhooks.ts'
import { makeDashboard } from '../domain/users/dashboard.ts'
import { makeDashboardPasswords } from '../domain/users/passwords.ts'
import { dashboardUserSettings } from '../domain/users/dependencies.ts'
import { makeSignInQueue, signInQueueSettings } from '../domain/users/sign-in-queue.ts'
import { makeSlowHash } from '../domain/users/slow-hash.ts'
import { verificationSettings, type VerificationSettings } from '../domain/verification/settings.ts'
import { makeVerification } from '../domain/verification/verification.ts'
import { expiredCardsEndBefore } from '../domain/cards/lifecycle.ts'
import { makeWorkPace } from '../domain/work-pace.ts'
import { makeWebhookEndpointAdministration } from '../domain/webhooks/endpoints.ts'
import { makeWebhookPost, type WebhookPost } from '../domain/webhooks/webhook-post.ts'
import { webhookGauges } from '../ops/metrics/webhook-gauges.ts'
import { webhookSettings } from '../domain/webhooks/settings.ts'
import { makeWebhookDeliverer } from '../domain/webhooks/webhooks.ts'
import { makeAuditArchive } from '../ops/audit/archive.ts'
import { makeRunStoreCheck } from '../ops/audit/run-check.ts'
import type { Config } from '../ops/config/config.ts'
import { makePeerHealth } from '../ops/health/peer-health.ts'
import {
  makeReceiptObserver,
  makeLimitObserver,
  makeMerchantEndpointObserver,
  makeNetworkObserver,
  makePeerObserver,
  makeSignInObserver,
  makeSmsObserver,
} from '../ops/logging/observers.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import { registerKeyGauges } from '../ops/metrics/key-gauges.ts'
import { registerPeerGauges } from '../ops/metrics/peer-gauges.ts'
import { registerSweepGauges } from '../ops/metrics/sweep-gauges.ts'
import { createReceiptGauges } from '../ops/metrics/receipt-gauges.ts'
import { makeRequestLists } from '../ops/request-log/request-lists.ts'
import { makeRequestRecorder, recorderSettings } from '../ops/request-log/request-recorder.ts'
import { hashDisclosure } from '../domain/consents/disclosure-text.ts'
import { makeIsFormHost, hostedPageUrl } from '../server/pages/hosts.ts'

import { adapterDependencies } from './adapter-dependencies.ts'
import { listInbox } from '../store/sandbox.ts'
import type { Store } from '../store/store.ts'

import type { Adapters } from './adapters.ts'
import { createAuditCheckpoints } from './audit-checkpoints.ts'
import { readReadiness, type Lifecycle } from './lifecycle.ts'
import { makeRowAlarm } from './row-alarm.ts'
import { makePeers, peerSettings } from '../domain/limits/peers.ts'
import { makeRecentSends } from '../domain/limits/recent-sends.ts'
import { createLimits, simulatedCapsOf, type LimitSet } from './limits.ts'
import { inspectDatabase } from './inspect-database.ts'
import type { Storage } from './storage.ts'
import { cardsTable } from '../store/cards.ts'

export interface ServiceDependencies extends Storage {
  /** The machine's clock. */
  readonly clock: Clock
  readonly log: Log
  /** Ends long work when the service stops. */
  readonly stopping: AbortSignal
  readonly metrics: Metrics
  /** Version and integrity of the SDK files that the service serves. */
  readonly sdk: GettingStartedDetails['sdk']
  readonly follower: ChainFollower
  /** The URL of this service, once it listens. */
  readonly ownUrl: () => string
  /** The state of the service, for `tessera status`. */
  readonly lifecycle: Lifecycle
  readonly overrides?: ServiceOverrides
}

/** Replacements for tests. The service itself sets none of them. */
export interface ServiceOverrides {
  readonly cards?: Partial<CardSettings>
  readonly verification?: Partial<VerificationSettings>
  readonly payments?: Partial<PaymentSettings>
  readonly limits?: (deps: Pick<Storage, 'keyring'>) => Partial<LimitSet>
  readonly merchantEndpoint?: MerchantApi
  /** Binary logarithm of scrypt's N. */
  readonly passwordCost?: number
  readonly pageCheck?: { readonly fetchPage: FetchPage; readonly parse: ParsePage }
  /** Leaves the refund of a cancelled receipt to the next round of the worker. */
  readonly refundsInBackgroundOnly?: boolean
}

/** The services of an application: those that operations call (operations/app-services.ts), and those of its background and its tests. */
export type ComposedServices = Awaited<ReturnType<typeof createServices>>

/** Makes every domain service from settings, adapters and storage. Opens no listener and starts no job. */
export async function createServices(config: Config, adapters: Adapters, deps: ServiceDependencies) {
  const { environment, formOrigin } = config
  const { clock: machineClock, log, metrics, store, keyring, kek, sdk, overrides = {} } = deps
  const { clock, mover } = adapters.time(machineClock)
  const now = (): number => performance.now()
  const alarm = makeRowAlarm({ log, metrics, store, clock })
  const freshness = makeRowFreshness({ store, follower: deps.follower })
  const base = { store, keyring, clock, environment, alarm, freshness }
  /** For operators, who read whole tables: never in the thread that answers requests. */
  const scanning: Pick<Store, 'kind' | 'read'> = { kind: store.kind, read: (query) => store.scan(query) }

  const limits = {
    ...createLimits(config, {
      isOnByDefault: adapters.limits,
      canSimulate: adapters.sandbox !== null,
      keyring,
      now,
      simulatedNow: () => clock.moment().monotonicMs,
      onReached: makeLimitObserver(log, metrics, () => clock.now()),
    }),
    ...overrides.limits?.({ keyring }),
  }
  const areLimitsOn = config.limits ?? adapters.limits

  // Cards, codes and payments, and the external systems.
  const peerHealth = { network: makePeerHealth(), sms: makePeerHealth() }
  const networkAdapter = adapters.network({ ...adapterDependencies(config, { clock, log }, config.networkTimeoutMs), store })
  const network = observeNetwork({ network: networkAdapter, onCall: makeNetworkObserver(metrics, peerHealth.network), now })
  const smsAdapter = adapters.sms({ ...adapterDependencies(config, { clock, log }, config.smsTimeoutMs), store })
  const sms = observeSms({ sms: smsAdapter, onSend: makeSmsObserver(metrics, peerHealth.sms), now })
  // By the machine's time: moving the time of the sandbox neither opens nor closes a breaker.
  const peers = makePeers({
    settings: peerSettings(config),
    now: () => machineClock.moment().monotonicMs,
    isNetworkSimulated: networkAdapter.isSimulated === true,
    isSmsSimulated: smsAdapter.isSimulated === true,
    observer: makePeerObserver(log, metrics, () => machineClock.now()),
  })
  registerPeerGauges(peers, metrics)
  const cards = createCardServices({ ...base, network, peers, settings: { ...cardSettings(config), ...overrides.cards } })
  const sending = { sms, smsGuard: limits.sms, recentSends: makeRecentSends(base) }
  const outside = { ...base, ...sending, network, peers, cards, simulatedCaps: simulatedCapsOf(limits.simulation) }
  const verification = makeVerification({
    ...outside,
    codes: adapters.codes,
    settings: { ...verificationSettings(config, areLimitsOn), ...overrides.verification },
  })
  const merchants = makeMerchants(base)
  const guard = makeAddressGuard({ resolve: resolveBySystem, allowLoopback: adapters.webhooksToLoopback })
  const endpoint =
    overrides.merchantEndpoint ??
    observeMerchantApi({
      endpoint: createPaymeMerchantApi({ ...makeMerchantEndpointLookup({ merchants, keyring, environment }), guard, clock }),
      onCall: makeMerchantEndpointObserver(log, metrics),
      now,
    })
  const receiptGauges = createReceiptGauges({ store, clock, metrics })
  const onTransition = makeReceiptObserver(log, receiptGauges)
  const payments = {
    ...outside,
    onTransition,
    endpoint,
    merchants,
    settings: { ...paymentSettings(config, areLimitsOn), ...overrides.payments },
  }
  const receiptWorker = createReceiptWorker({ ...payments, onError: (err) => log.error('job_failed', { err }) })
  const receipts = createReceipts(payments, overrides.refundsInBackgroundOnly === true ? null : receiptWorker)

  registerKeyGauges({ keyring, clock: machineClock, metrics })
  registerSweepGauges({ store, clock, metrics, expiredCardsEndBefore })

  // Events to merchants.
  const failed = (err: unknown): void => log.error('delivery_failed', { err })
  const post = makeWebhookPost({ guard, clock, timeoutMs: webhookSettings.timeoutMs })
  const delivery = { ...base, guard, settings: webhookSettings, post: countAttempts(post, metrics), failed }
  const endpoints = makeWebhookEndpointAdministration(delivery)
  const random = (): number => Buffer.from(randomPublic(4)).readUInt32BE() / 2 ** 32
  const webhooks = makeWebhookDeliverer({ ...delivery, random, onDelivered: metrics.observeDeliveryDelay })
  for (const gauge of webhookGauges(webhooks, { store, clock })) metrics.registerGauge(gauge)

  // The hosted form: sessions, documents and disclosures.
  const isFormHost = makeIsFormHost(formOrigin)
  const isFormOrigin = (origin: string): boolean => URL.canParse(origin) && isFormHost(new URL(origin).host)
  const rows = makeFormSessionRows(base)
  const sessions = makeFormSessions({ store, rows, clock, merchants, isAnyOriginAllowed: adapters.isAnyOriginAllowed, isFormOrigin })
  const hosted = makeHostedSessions({ store, rows, keyring, clock, environment, requireReturnOrigin: sessions.requireReturnOrigin })
  const disclosures = makeDisclosures({ ...base, texts: disclosureTexts(config, adapters) })
  await disclosures.store()

  // The dashboard. Sign-in uses the machine's time and not that of the sandbox, because authenticator codes and sessions depend on it.
  const queue = makeSignInQueue({ clock: machineClock, now, settings: signInQueueSettings(config) })
  const passwords = makeDashboardPasswords({ cost: overrides.passwordCost ?? config.dashboardPasswordCost, queue, derive: makeSlowHash() })
  const onSignIn = makeSignInObserver(log, metrics, queue, () => machineClock.now())
  const dashboard = makeDashboard({
    ...base,
    clock: machineClock,
    settings: dashboardUserSettings(config),
    passwords,
    queue,
    onSignIn,
    requiresSecondFactor: async (merchantId) => (await merchants.find(merchantId))?.settings.requireSecondFactor ?? false,
  })
  const { sandbox } = adapters

  // Compliance and the page check.
  const mac = makeFreshRowAuthenticator(base, cardsTable)
  const checkpoints = createAuditCheckpoints(config, { ...base, clock: machineClock, log, metrics })
  const reseal = makeCardResealer(base)
  const findings = makeComplianceFindings({ store, clock })
  const provider = { name: config.providerName ?? 'Tessera', termsUrl: config.termsUrl, privacyUrl: config.privacyUrl }
  const get = makeHttpGet({ guard, clock, timeoutMs: pageFetchTimeoutMs, replyBytesMax: maxPageBytes })
  const page = overrides.pageCheck ?? {
    fetchPage: makeFetchPage({ get, guard, isLoopbackWelcome: adapters.webhooksToLoopback }),
    parse: makeParsePage({ clock }),
  }

  return {
    environment,
    readReadiness: () => readReadiness(deps.lifecycle),
    peerHealth,
    /** Null in production. */
    sandbox,
    store,
    keyring,
    kek,
    follower: deps.follower,
    freshness,
    clock,
    machineClock,
    limits,
    network,
    peers,
    cards,
    verification,
    merchants,
    receipts,
    receiptWorker,
    receiptGauges,
    receiptAdministration: createReceiptAdministration(payments, receiptWorker),
    endpoint,
    endpoints,
    webhooks,
    sessions,
    hosted,
    disclosures,
    dashboard,
    findings,
    sweep: makeCardSweeper(base),
    pace: makeWorkPace({ clock: machineClock, waitingWrites: () => store.waitingWrites() }),
    reseal,
    knownAnswers: makeKnownAnswers(base),
    keys: makeKeyAdministration({ ...base, kek, reseal, log, stopping: deps.stopping }),
    storeCheck: makeRunStoreCheck({
      store: scanning,
      openKeyStore: () => inspectDatabase('keys', config.keysDatabaseUrl ?? config.databaseUrl, config.dataFolder),
      keyring,
      environment,
      knownHeads: async () => [
        ...checkpoints.knownHeads(),
        ...((await deps.anchors.readHeads().catch(noHeads)) ?? []),
        ...store.auditHeads(),
      ],
      now,
    }),
    checkpoints,
    auditArchive: makeAuditArchive({ store: scanning, keyring, clock: machineClock, environment, checkpoints }),
    /** The newest SMS of the sandbox, of all merchants. */
    listSandboxInbox: (count: number) => store.read(listInbox(count)),
    idempotency: makeIdempotency({ ...base, settings: idempotencySettings(config) }),
    merchantEndpoints: makeMerchantEndpointAdministration({
      administration: merchants.administration,
      endpoint,
      readUrl: guard.readUrl,
      keyring,
      environment,
    }),
    formDocuments: makeFormDocumentTokens({ keyring, clock, environment }),
    /** The URL of the hosted page of a session. */
    pageOf: (of: { merchantId: string; session: string; locale: string | null }) => hostedPageUrl(formOrigin ?? deps.ownUrl(), of),
    webhookReports: makeWebhookReports(base, endpoints),
    cardLists: makeCardReports(base),
    codeLists: makeCodeReports({ store, clock, hasInbox: sandbox !== null }),
    requestLists: makeRequestLists(store),
    overview: makeOverview({ store, clock }),
    // By the machine's time, so that moving the time of the sandbox does not delete counters.
    counters: makeCallCounters({ store, clock: machineClock }),
    startPage: makeGettingStarted({ store, clock }, { formOrigin, sdk, testing: sandbox === null ? null : testingOf(sandbox) }),
    evidence: makeEvidenceCollector({ store, mac, merchants, disclosures, findings, details: { provider, form: sdk } }),
    consents: makeConsents({ store: scanning, disclosures, mac }),
    pageCheck: makePageCheck({ ...base, merchants, formOrigin, ...page }),
    recorder: makeRequestRecorder({
      store,
      merchants,
      clock: machineClock,
      settings: recorderSettings(config),
      failed: (err) => log.error('request_not_recorded', { err }),
      lost: ({ merchantId, caller, reason, count }) => log.warn('requests_not_recorded', { merchantId, caller, reason, count }),
    }),
    ...(await openSandboxControls()),
  }

  /** Controls and reset exist only with a sandbox and a clock that can be moved. */
  async function openSandboxControls() {
    if (sandbox === null || mover === null) return { controls: null, reset: null }
    const available = { ...sandbox, expire: sandbox.demo.expiry }
    const limitSimulation = limits.simulation
    const controls = await openControls({ store, clock: machineClock, available, mover, limitSimulation, maxOffsetMs: sandbox.maxOffsetMs })
    return { controls, reset: makeReset(base) }
  }
}

/** The post of webhooks with each attempt counted. */
function countAttempts(post: WebhookPost, metrics: Pick<Metrics, 'countWebhookAttempt'>): WebhookPost {
  return async (request, signal) => {
    const result = await post(request, signal)
    metrics.countWebhookAttempt(result)
    return result
  }
}

/** The disclosure texts of the settings, or the defaults of the environment. */
function disclosureTexts(config: Config, { texts: fallback }: Adapters) {
  const disclosure = config.disclosure ?? fallback?.disclosure ?? null
  if (disclosure === null) return []
  const { version, texts } = hashDisclosure(disclosure)
  return Object.entries(texts).map(([locale, { text, sha256 }]) => ({ version, locale, sha256, text }))
}

function testingOf({ cards, code, demo }: Sandbox): GettingStartedDetails['testing'] {
  return { cards, code, expire: demo.expiry, demo: { merchantId: demo.merchantId, password: demo.password } }
}

/** A record that is damaged is refused by the next start, which says what to do. */
const noHeads = (): null => null
const pageFetchTimeoutMs = 10_000
const maxPageBytes = 1_000_000
