import { drawPublic } from '@tessera/vault/random'

import type { Adapters } from './adapters.ts'
import { makeCards } from '../cards/cards.ts'
import { makeReseal } from '../cards/reseal.ts'
import { makeSweep } from '../cards/sweep.ts'
import { tesseraVersion } from '../cli/version.ts'
import { makeComplianceSide } from './compliance.ts'
import { makeDashboardSide } from './dashboard.ts'
import { makeMerchantApi } from '../endpoint/merchant-api.ts'
import { makeTellingEndpoint } from '../endpoint/told.ts'
import { cardFiguresOf, idempotencyFiguresOf, receiptFiguresOf, recorderFiguresOf, verificationFiguresOf } from './figures.ts'
import type { FormAssets } from '../form/assets.ts'
import { makeFormSide } from './forms.ts'
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
  /** The form as it was built. */
  readonly assets: FormAssets
  /** Where this service listens, once it does. */
  readonly ownUrl: () => string
}

/** The nouns and the grid of their methods. */
export async function makeNouns(
  { config, clock: machine, log }: StartParts,
  adapters: Adapters,
  { store, keyring }: Kept,
  { metrics, assets, ownUrl }: Surroundings,
) {
  const { environment } = config
  const alarm = log.error
  const unrecorded = (err: unknown): void => log.error('call_not_recorded', { err })
  const { clock, mover } = adapters.time(machine)
  const network = adapters.network({ store, clock })
  const sms = adapters.sms({ store, clock })
  const kept = { store, keyring, clock, environment, alarm }
  const cards = makeCards({ ...kept, network, figures: cardFiguresOf(config) })
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
  const outside = { ...kept, network, sms, smsGuard: limits.sms, cards, rehearsed: rehearsedCapsOf(limits.rehearsal) }
  const verification = makeVerification({ ...outside, codes: adapters.codes, figures })
  const merchants = makeMerchants(kept)
  const guard = makeGuard({ resolve: resolveBySystem, loopback: adapters.webhooksToLoopback })
  const endpoint = makeTellingEndpoint({
    endpoint: makeMerchantApi({ ...openEndpointBook({ merchants, keyring, environment }), guard, clock }),
    tell: makeEndpointJournal(log, metrics),
    now: () => performance.now(),
  })
  const receiptParts = { ...outside, endpoint, merchants, figures: receiptFiguresOf(config, adapters.limits) }
  const settle = makeSettle({ ...receiptParts, failed: (err) => log.error('background_failed', { err }) })
  const receipts = makeReceipts(receiptParts, settle)
  if (adapters.sandbox !== null) await merchants.ensureMerchant(adapters.sandbox.merchant)
  const forms = await makeFormSide({ ...kept, merchants, ownUrl }, adapters, config)
  const endpoints = makeEndpoints(deliveryParts({ config, clock, log }, adapters, { store, keyring }))
  const side = await makeDashboardSide({ ...kept, endpoints, assets }, adapters, config, { machine, mover, ...limits })
  const compliance = makeComplianceSide(
    {
      ...{ ...kept, merchants, disclosures: forms.disclosures, guard, form: side.start.facts.sdk },
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
    forms,
    side,
    compliance,
    grid: makeGrid({
      cards,
      verification,
      receipts,
      clock,
      merchants,
      ...forms,
      ...side,
      ...compliance,
      limits: limits.fine,
      failures: limits.failures,
      version: tesseraVersion,
    }),
    recorder: makeRecorder({ store, merchants, clock: machine, figures: recorderFiguresOf(config), failed: unrecorded }),
    settle,
    idempotency: makeIdempotency({ ...kept, figures: idempotencyFiguresOf(config) }),
    sweep: makeSweep(kept),
    reseal: makeReseal(kept),
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
