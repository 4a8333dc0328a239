import { shareKekId } from '@tessera/vault/share-set'

import { openControls } from '../adapters/sandbox/controls.ts'
import { makeReset } from '../domain/merchants/reset.ts'
import type { Sandbox } from '../adapters/sandbox/sandbox.ts'
import type { Clock } from '../clock.ts'
import type { ChainFollower } from '../domain/freshness/chain-follower.ts'
import { makeClockAdministration } from '../domain/clock-administration.ts'
import type { Custody } from '../domain/custody/custody.ts'
import type { CustodyAudit } from '../domain/custody/custody-audit.ts'
import { makeEnrolledNodes } from '../domain/custody/enrolled-nodes.ts'
import type { ClockGuard } from '../domain/clock-guard.ts'
import { makeFreshRowAuthenticator, makeRowFreshness } from '../domain/freshness/row-freshness.ts'
import { makeCardResealer } from '../domain/cards/reseal.ts'
import { cardSettings, createCardServices } from '../domain/cards/services.ts'
import { makeCardSweeper } from '../domain/cards/sweep.ts'
import { makeMerchantPacks } from '../domain/compliance/merchant-packs.ts'
import { makeEvidenceCollector } from '../domain/compliance/evidence.ts'
import { makeComplianceFindings } from '../domain/compliance/findings.ts'
import { makeConsents } from '../domain/consents/consents.ts'
import { makeKnownAnswers } from '../domain/keys/known-answers.ts'
import { makeKekRegistry } from '../domain/keys/kek-registry.ts'
import { makeKeyAgeAlerts } from '../domain/keys/key-ages.ts'
import { makeKeyAdministration } from '../domain/keys/key-administration.ts'
import { makeRunningProcesses } from '../domain/idempotency/processes.ts'
import { makeIdempotency } from '../domain/idempotency/idempotency.ts'
import { idempotencySettings } from '../domain/idempotency/dependencies.ts'
import { makeMerchantEndpointAdministration } from '../domain/merchants/merchant-endpoint.ts'
import { makeMerchants } from '../domain/merchants/merchants.ts'
import { createNetworkDay } from '../domain/payments/network-day.ts'
import { createReceiptAdministration } from '../domain/payments/administration.ts'
import { makeRecentReceipts } from '../domain/payments/recent-receipts.ts'
import { createReceipts } from '../domain/payments/receipts.ts'
import { createReceiptWorker } from '../domain/payments/receipt-worker.ts'
import { paymentSettings } from '../domain/payments/settings.ts'
import { makeOverview } from '../domain/reporting/overview.ts'
import { makeGettingStarted, type GettingStartedDetails } from '../domain/reporting/getting-started.ts'
import { makeCallCounters } from '../domain/reporting/call-counters.ts'
import { makeWebhookReports } from '../domain/reporting/webhooks.ts'
import { makeDashboard } from '../domain/users/dashboard.ts'
import { makeDashboardPasswords } from '../domain/users/passwords.ts'
import { dashboardUserSettings } from '../domain/users/dependencies.ts'
import { makeSignInQueue, signInQueueSettings } from '../domain/users/sign-in-queue.ts'
import type { SlowHash } from '../domain/users/slow-hash.ts'
import { verificationSettings } from '../domain/verification/settings.ts'
import { codeFormatOf } from '../domain/verification/dispatch.ts'
import { makeVerification } from '../domain/verification/verification.ts'
import { expiredCardsEndBefore } from '../domain/cards/lifecycle.ts'
import { makeWorkPace } from '../domain/work-pace.ts'
import { makeAuditArchive } from '../ops/audit/archive.ts'
import { type BackupRecord, writeBackupEntry } from '../ops/audit/backup-entry.ts'
import { makeRunStoreCheck } from '../ops/audit/run-check.ts'
import type { Config } from '../ops/config/config.ts'
import { makeReceiptObserver, makeLimitObserver, makeSignInObserver } from '../ops/logging/observers.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import type { Tracer } from '../ops/tracing/tracing.ts'
import { registerClockGauges } from '../ops/metrics/clock-gauges.ts'
import { registerKeyGauges } from '../ops/metrics/key-gauges.ts'
import { registerResealGauges } from '../ops/metrics/reseal-gauges.ts'
import { registerSweepGauges } from '../ops/metrics/sweep-gauges.ts'
import { createReceiptGauges } from '../ops/metrics/receipt-gauges.ts'
import { moveFormerRequests } from '../ops/request-log/move-former.ts'
import { makeRequestLists } from '../ops/request-log/request-lists.ts'
import { makeRequestRecorder, recorderSettings } from '../ops/request-log/request-recorder.ts'
import { listInbox } from '../store/sandbox.ts'
import { makeValueFile } from '../store/value-file.ts'
import type { Store } from '../store/store.ts'

import type { Adapters } from './adapters.ts'
import { createCardReports } from './card-reports.ts'
import type { HandOver } from './hand-over.ts'
import { makeRunStoreMove } from './move-store.ts'
import { createAuditCheckpoints } from './audit-checkpoints.ts'
import type { DamageAlarm } from './damage-alarm.ts'
import type { DomainBase } from './domain-base.ts'
import { createFormServices } from './form-services.ts'
import { readReadiness, type Lifecycle } from './lifecycle.ts'
import { createOutsideSystems } from './outside-systems.ts'
import { createPageServices } from './page-services.ts'
import { makeSignBackup } from './sign-backup.ts'
import type { ServiceOverrides } from './service-overrides.ts'
import { createSmsServices } from './sms-services.ts'
import { createWebhookServices } from './webhook-services.ts'
import { makeRowAlarm } from './row-alarm.ts'
import { makeWakePostponed } from './wake-postponed.ts'
import type { CountSharing } from '../domain/limits/count-sharing.ts'
import { makeRecentSends } from '../domain/limits/recent-sends.ts'
import { createLimits, simulatedCapsOf } from './limits.ts'
import { inspectDatabase } from './inspect-database.ts'
import type { Storage } from './storage.ts'
import type { ServiceChanges } from './workers/service-changes.ts'
import { cardsTable } from '../store/cards.ts'

export interface ServiceDependencies extends Storage {
  readonly stopService?: (reason: string) => void
  /** The machine's clock. */
  readonly clock: Clock
  readonly log: Log
  /** Ends long work when the service stops. */
  readonly stopping: AbortSignal
  readonly metrics: Metrics
  /** Version and integrity of the SDK files that the service serves. */
  readonly sdk: GettingStartedDetails['sdk']
  readonly follower: ChainFollower
  readonly clockGuard: ClockGuard
  readonly damage: Pick<DamageAlarm, 'checked'>
  readonly custody: Custody
  readonly custodyAudit: CustodyAudit
  readonly handOver: HandOver | null
  /** Whether audit entries bear the machine's time. */
  readonly areEntriesComparable: boolean
  /** The URL of this service, once it listens. */
  readonly ownUrl: () => string
  /** The state of the service, for `tessera status`. */
  readonly lifecycle: Lifecycle
  readonly changes: ServiceChanges
  /** Writes of all workers that the store has not completed. */
  readonly waitingWrites: () => number
  readonly countSharing: CountSharing
  readonly tracing: Tracer | null
  readonly slowHash: SlowHash
  readonly overrides?: ServiceOverrides
}

/** The services of an application: those that operations call (operations/app-services.ts), and those of its background and its tests. */
export type ComposedServices = Awaited<ReturnType<typeof createServices>>

/** Makes every domain service from settings, adapters and storage. Opens no listener and starts no job. */
export async function createServices(config: Config, adapters: Adapters, deps: ServiceDependencies) {
  const { environment, formOrigin } = config
  const { clock: machineClock, log, metrics, store, requestLog, keyring, kek, nextKek, heldKeks, custody, sdk, overrides = {} } = deps
  const { clock, mover } = adapters.time(machineClock)
  const now = (): number => performance.now()
  const alarm = makeRowAlarm({ log, metrics, store, clock })
  const freshness = makeRowFreshness({ store, follower: deps.follower })
  const { clockGuard, areEntriesComparable, changes, tracing } = deps
  const base: DomainBase = { store, keyring, clock, clockGuard, environment, alarm, freshness, recentReceipts: makeRecentReceipts() }
  /** For operators, who read whole tables: never in the thread that answers requests. */
  const scanning: Pick<Store, 'kind' | 'file' | 'read'> = { kind: store.kind, file: store.file, read: (query) => store.scan(query) }

  const limits = {
    ...createLimits(config, {
      isOnByDefault: adapters.limits,
      canSimulate: adapters.sandbox !== null,
      keyring,
      now,
      simulatedNow: () => clock.moment().monotonicMs,
      onReached: makeLimitObserver(log, metrics, () => clock.now()),
      sharing: deps.countSharing,
      onSimulated: (merchantId, since) => changes.publish({ kind: 'limit_simulation', merchantId, since }),
    }),
    ...overrides.limits?.({ keyring }),
  }
  const areLimitsOn = config.limits ?? adapters.limits

  // Cards, codes and payments, and the external systems.
  const merchants = makeMerchants({ ...base, onChanged: (merchantId) => changes.publish({ kind: 'merchant', merchantId }) })
  const { smsGateways, smsAdapters, holder, guard, pageGuard, ...outsideSystems } = createOutsideSystems(config, adapters, {
    base,
    machineClock,
    log,
    metrics,
    merchants,
    now,
    merchantEndpoint: overrides.merchantEndpoint,
    tracing,
  })
  const { networks, peers, endpoint } = outsideSystems
  const cards = createCardServices({ ...base, networks, settings: { ...cardSettings(config), ...overrides.cards } })
  const { sms, ...smsServices } = createSmsServices(config, { base, scanning, gateways: smsGateways, adapters: smsAdapters, log, metrics })
  const sending = { sms, smsGuard: limits.sms, recentSends: makeRecentSends(base) }
  const outside = { ...base, ...sending, networks, peers, cards, simulatedCaps: simulatedCapsOf(limits.simulation) }
  const verifying = { ...verificationSettings(config, areLimitsOn), ...overrides.verification }
  const verification = makeVerification({
    ...outside,
    holder,
    codes: adapters.codes,
    settings: verifying,
  })
  const receiptGauges = createReceiptGauges({ store, clock, metrics })
  const onTransition = makeReceiptObserver(log, receiptGauges, metrics)
  const payments = {
    ...outside,
    onTransition,
    endpoint,
    merchants,
    settings: { ...paymentSettings(config, areLimitsOn), ...overrides.payments },
  }
  const receiptWorker = createReceiptWorker({ ...payments, onError: (err) => log.error('job_failed', { job: 'receipts_reconciled', err }) })
  const receipts = createReceipts(payments, overrides.refundsInBackgroundOnly === true ? null : receiptWorker)

  registerClockGauges(clockGuard, metrics)
  const processes = makeRunningProcesses(store, machineClock)
  const keks = makeKekRegistry({ store, keyring, kek, nextKek, heldKeks, processes, clock: machineClock })
  // One that wraps keys is needed, and one that never did is the next.
  custody.restrict(async ({ setId }) => {
    const kekId = shareKekId(setId)
    const isNeeded = keyring.list().some((key) => key.kekId === kekId && key.state !== 'destroyed')
    return !isNeeded && (await keks.wasUsed(kekId)) ? 'share_of_retired_set' : null
  })
  const kekAgeMaxMs = config.kekAgeDaysMax * dayMs
  const keyAges = makeKeyAgeAlerts({
    keyring,
    kekSince: keks.wrappingSince,
    clock: machineClock,
    log,
    settings: { kekAgeMaxMs, kekNoticeMs: config.kekNoticeDays * dayMs },
  })
  registerKeyGauges({ keyring, kekSince: keks.wrappingSince, kekAgeMaxMs, clock: machineClock, metrics })

  const { webhooks, endpoints } = createWebhookServices({ base, guard, log, metrics, tracing })

  const forms = createFormServices(config, adapters, { base, merchants, ownUrl: deps.ownUrl })
  const { disclosures } = forms
  await disclosures.store()

  // The dashboard. Sign-in uses the machine's time and not that of the sandbox, because authenticator codes and sessions depend on it.
  const queue = makeSignInQueue({ clock: machineClock, now, settings: signInQueueSettings(config) })
  const passwords = makeDashboardPasswords({ cost: overrides.passwordCost ?? config.dashboardPasswordCost, queue, derive: deps.slowHash })
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
  const { waitingWrites } = deps
  const makePace = (shareOfTime?: number) => makeWorkPace({ clock: machineClock, waitingWrites, shareOfTime, batchMs: backgroundBatchMs })
  const [sweep, reseal] = [makeCardSweeper(base), makeCardResealer(base)]
  registerSweepGauges({ store, clock, metrics, expiredCardsEndBefore, sweep })
  registerResealGauges(reseal, metrics, machineClock)
  const findings = makeComplianceFindings({ store, clock })
  const provider = { name: config.providerName ?? 'Tessera', termsUrl: config.termsUrl, privacyUrl: config.privacyUrl }
  const pages = createPageServices(config, {
    base,
    merchants,
    guard: pageGuard,
    isLoopbackWelcome: adapters.webhooksToLoopback,
    overrides,
    log,
    metrics,
  })

  return {
    ...outsideSystems,
    ...smsServices,
    ...forms,
    environment,
    readReadiness: () => readReadiness(deps.lifecycle),
    /** Null in production. */
    sandbox,
    store,
    keyring,
    kek,
    nextKek,
    keks,
    custody,
    custodyAudit: deps.custodyAudit,
    handOver: deps.handOver,
    nodes:
      deps.keyStoreValues === null
        ? null
        : makeEnrolledNodes({
            ...base,
            clock: machineClock,
            values: deps.keyStoreValues,
            seen: makeValueFile(config.dataFolder, 'enrolled-nodes'),
          }),
    kekAgeMaxMs,
    keyAges,
    follower: deps.follower,
    freshness,
    clock,
    machineClock,
    clockGuard,
    clockAdministration: makeClockAdministration({
      guard: clockGuard,
      store,
      clock: machineClock,
      areEntriesComparable,
      wake: makeWakePostponed({ base, payments, idempotency: idempotencySettings(config), log }),
    }),
    limits,
    cards,
    verification,
    /** What codes look like by the policy of the service, for the form. */
    codeFormat: codeFormatOf(verifying.policies.of(null), adapters.codes),
    merchants,
    receipts,
    receiptWorker,
    receiptGauges,
    receiptAdministration: createReceiptAdministration(payments, receiptWorker),
    networkDay: createNetworkDay(payments),
    endpoints,
    webhooks,
    dashboard,
    findings,
    sweep,
    pace: makePace(),
    waitingWrites,
    reseal,
    knownAnswers: makeKnownAnswers(base),
    keys: makeKeyAdministration({
      ...base,
      clock: machineClock,
      kek,
      nextKek,
      keks,
      findDissent: (kekIds, toKekId) => custody.findDissent(kekIds, toKekId),
      reseal,
      makePace,
      log,
      stopping: deps.stopping,
    }),
    storeCheck: makeRunStoreCheck({
      store: scanning,
      requestLogFile: requestLog.file,
      openKeyStore: () => inspectDatabase('keys', config.keysDatabaseUrl ?? config.databaseUrl, config.dataFolder),
      keyring,
      environment,
      knownHeads: async () => [
        ...checkpoints.knownHeads(),
        ...((await deps.anchors.readHeads().catch(noHeads)) ?? []),
        ...store.auditHeads(),
      ],
      onChecked: deps.damage.checked,
      now,
      stopping: deps.stopping,
    }),
    storeMove: makeRunStoreMove(config, { ...deps, log: log.info, clock: machineClock }),
    signBackup: makeSignBackup(config, { keyring, clock: machineClock }),
    recordBackup: (record: BackupRecord, requestId: string) => writeBackupEntry({ store, clock: machineClock }, record, requestId),
    checkpoints,
    auditArchive: makeAuditArchive({ store: scanning, keyring, clock: machineClock, environment, checkpoints, now }),
    /** The newest SMS of the sandbox, of all merchants. */
    listSandboxInbox: (count: number) => store.read(listInbox(count)),
    idempotency: makeIdempotency({ ...base, processes, settings: idempotencySettings(config) }),
    merchantEndpoints: makeMerchantEndpointAdministration({
      administration: merchants.administration,
      endpoint,
      readUrl: guard.readUrl,
      keyring,
      environment,
    }),
    webhookReports: makeWebhookReports(base, endpoints),
    ...createCardReports({ base, cards, settings: verifying, smsDays: config.smsSendsDays, hasInbox: sandbox !== null }),
    requestLists: makeRequestLists(requestLog),
    overview: makeOverview({ store }),
    // By the machine's time, so that moving the time of the sandbox does not delete counters.
    counters: makeCallCounters({ store, clock: machineClock }),
    startPage: makeGettingStarted({ store, clock }, { formOrigin, sdk, testing: sandbox === null ? null : testingOf(sandbox) }),
    evidence: makeEvidenceCollector({ store, mac, merchants, disclosures, findings, details: { provider, form: sdk } }),
    consents: makeConsents({ store: scanning, disclosures, mac }),
    ...pages,
    merchantPacks: makeMerchantPacks(base),
    requestLog,
    /** Calls that an older version recorded. */
    moveFormerRequests: (until: AbortSignal) => moveFormerRequests({ store, requestLog, log }, until),
    recorder: makeRequestRecorder({
      requestLog,
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
    return { controls, reset: makeReset({ ...base, requestLog }) }
  }
}

function testingOf({ cards, code, demo }: Sandbox): GettingStartedDetails['testing'] {
  return { cards, code, expire: demo.expiry, demo: { merchantId: demo.merchantId, password: demo.password } }
}

/** A record that is damaged is refused by the next start, which says what to do. */
const noHeads = (): null => null
const dayMs = 86_400_000
/** Calls wait for one batch: for the thread that writes an embedded database, and on PostgreSQL for the processors. Decision 81 has the figures. */
const backgroundBatchMs = 4
