import { drawPublic } from '@tessera/vault/random'

import type { Adapters } from './adapters.ts'
import { makeCards } from '../cards/cards.ts'
import { makeReseal } from '../cards/reseal.ts'
import { makeSweep } from '../cards/sweep.ts'
import { tesseraVersion } from '../cli/version.ts'
import { openDisclosures } from './consents.ts'
import { makeComplianceSide } from './compliance.ts'
import { makeDashboardSide } from './dashboard.ts'
import { makeMerchantApi } from '../endpoint/merchant-api.ts'
import { makeTellingEndpoint } from '../endpoint/told.ts'
import { cardFiguresOf, idempotencyFiguresOf, receiptFiguresOf, recorderFiguresOf, verificationFiguresOf } from './figures.ts'
import { makeIsFormHost } from '../form/host.ts'
import { pageAddress } from '../form/page-address.ts'
import { makeFormSessions } from '../form-sessions/form-sessions.ts'
import { makeFormSessionRows } from '../form-sessions/rows.ts'
import { makeHostedSessions } from '../form-sessions/hosted.ts'
import { makeServedForms } from '../form-sessions/served.ts'
import { makeIdempotency } from '../idempotency/idempotency.ts'
import type { Kept } from './kept.ts'
import { makeLimits, rehearsedCapsOf } from './limiting.ts'
import { makeEndpointDeeds, openEndpointBook } from '../merchants/endpoint.ts'
import { makeMerchants } from '../merchants/merchants.ts'
import { makeGrid } from '../methods/index.ts'
import { makeEndpointJournal } from '../observe/endpoint-journal.ts'
import { makeLimitJournal } from '../observe/limit-journal.ts'
import type { Metrics } from '../observe/metrics.ts'
import { makeGuard } from '../outbound/guard.ts'
import { resolveBySystem } from '../outbound/resolve.ts'
import { makeReceipts } from '../receipts/receipts.ts'
import { makeRecorder } from '../request-log/recorder.ts'
import { makeSettle } from '../receipts/settle.ts'
import type { StartParts } from './parts.ts'
import { makeVerification } from '../verification/verification.ts'
import { makeEndpoints } from '../webhooks/endpoints.ts'
import { webhookFigures } from '../webhooks/figures.ts'
import { makePost } from '../webhooks/post.ts'
import { makeWebhooks } from '../webhooks/webhooks.ts'

export interface Surroundings {
  readonly metrics: Metrics
  /** Where this service listens, once it does. */
  readonly ownUrl: () => string
}

/** The nouns and the grid of their methods. */
export async function makeNouns(
  { config, clock: machine, log }: StartParts,
  adapters: Adapters,
  { store, keyring }: Kept,
  { metrics, ownUrl }: Surroundings,
) {
  const { environment } = config
  const alarm = log.error
  const unrecorded = (err: unknown): void => log.error('call_not_recorded', { err })
  const { clock, mover } = adapters.time(machine)
  const network = adapters.network({ store, clock })
  const sms = adapters.sms({ store, clock })
  const cards = makeCards({ store, keyring, network, clock, environment, alarm, figures: cardFiguresOf(config) })
  const figures = verificationFiguresOf(config, adapters.limits)
  const tell = makeLimitJournal(log, metrics, clock.now)
  const limits = makeLimits(config, {
    isOnByDefault: adapters.limits,
    isRehearsed: adapters.sandbox !== null,
    keyring,
    now: () => performance.now(),
    rehearsedNow: () => clock.moment().monotonicMs,
    tell,
  })
  const rehearsed = rehearsedCapsOf(limits.rehearsal)
  const smsGuard = limits.sms
  const verification = makeVerification({ store, keyring, network, sms, smsGuard, codes: adapters.codes, cards, clock, figures, rehearsed })
  const merchants = makeMerchants({ store, keyring, clock, environment, alarm })
  const guard = makeGuard({ resolve: resolveBySystem, loopback: adapters.webhooksToLoopback })
  const endpoint = makeTellingEndpoint({
    endpoint: makeMerchantApi({ ...openEndpointBook({ merchants, keyring, environment }), guard, clock }),
    tell: makeEndpointJournal(log, metrics),
    now: () => performance.now(),
  })
  const receiptParts = {
    store,
    keyring,
    network,
    sms,
    smsGuard,
    endpoint,
    cards,
    merchants,
    clock,
    environment,
    alarm,
    figures: receiptFiguresOf(config, adapters.limits),
    rehearsed,
  }
  const settle = makeSettle({ ...receiptParts, failed: (err) => log.error('background_failed', { err }) })
  const receipts = makeReceipts(receiptParts, settle)
  if (adapters.sandbox !== null) await merchants.ensureMerchant(adapters.sandbox.merchant)
  const isFormHost = makeIsFormHost(config.formOrigin)
  const isFormOrigin = (origin: string): boolean => URL.canParse(origin) && isFormHost(new URL(origin).host)
  const rows = makeFormSessionRows({ store, keyring, environment, alarm })
  const sessions = makeFormSessions({ store, rows, clock, merchants, isAnyOriginWelcome: adapters.isAnyOriginWelcome, isFormOrigin })
  const hosted = makeHostedSessions({ store, rows, keyring, clock, environment, expectWayBack: sessions.expectWayBack })
  const disclosures = await openDisclosures(config, adapters, { store, clock })
  const served = makeServedForms({ keyring, clock, environment })
  const endpoints = makeEndpoints(deliveryParts({ config, clock, log }, adapters, { store, keyring }))
  const side = await makeDashboardSide({ store, keyring, clock, environment, alarm, endpoints }, adapters, config, {
    machine,
    mover,
    ...limits,
  })
  const compliance = makeComplianceSide(
    {
      ...{ store, keyring, clock, merchants, disclosures, guard, form: side.start.facts.sdk },
      isLoopbackWelcome: adapters.webhooksToLoopback,
    },
    config,
  )
  return {
    clock,
    network,
    merchants,
    endpoints,
    merchantEndpoints: makeEndpointDeeds({ deeds: merchants.deeds, endpoint, readUrl: guard.readUrl, keyring, environment }),
    limits,
    sessions,
    hosted,
    disclosures,
    served,
    side,
    compliance,
    grid: makeGrid({
      cards,
      verification,
      receipts,
      sessions,
      hosted,
      pageOf: ({ merchantId, session, locale }) => pageAddress(config.formOrigin ?? ownUrl(), { merchantId, session, locale }),
      clock,
      disclosures,
      served,
      merchants,
      ...side,
      ...compliance,
      limits: limits.fine,
      failures: limits.failures,
      version: tesseraVersion,
    }),
    recorder: makeRecorder({ store, merchants, clock: machine, figures: recorderFiguresOf(config), failed: unrecorded }),
    settle,
    idempotency: makeIdempotency({ store, keyring, clock, environment, figures: idempotencyFiguresOf(config) }),
    sweep: makeSweep({ store, keyring, clock, environment, alarm }),
    reseal: makeReseal({ store, keyring, clock, environment, alarm }),
  }
}

/** Events on their way to merchants. */
export function makeDeliveries(start: StartParts, adapters: Adapters, kept: Kept) {
  const random = (): number => Buffer.from(drawPublic(4)).readUInt32BE() / 2 ** 32
  return makeWebhooks({ ...deliveryParts(start, adapters, kept), random })
}

function deliveryParts(
  { config, clock, log }: Pick<StartParts, 'config' | 'clock' | 'log'>,
  { webhooksToLoopback }: Adapters,
  { store, keyring }: Pick<Kept, 'store' | 'keyring'>,
) {
  const guard = makeGuard({ resolve: resolveBySystem, loopback: webhooksToLoopback })
  const figures = webhookFigures
  const post = makePost({ guard, clock, timeoutMs: figures.timeoutMs })
  const failed = (err: unknown): void => log.error('delivery_failed', { err })
  return { store, keyring, environment: config.environment, clock, guard, figures, post, failed }
}
