import { RpcError } from '@tessera/contract/errors'

import { retryOnConflict } from '../concurrency.ts'
import type { RequestContext } from '../request-context.ts'
import { cardEvent, extrasWithEvent } from '../cards/change-records.ts'
import { requireLiveCard, usePan } from '../cards/find.ts'
import { verifiedCard } from '../cards/lifecycle.ts'
import { callCardNetwork, callNetworkAdapter, refusalError, requireNetwork, type CausedNetworkRefusal } from '../cards/network-call.ts'
import { requireNoConflict, outcomeExtras, type IdempotencyHandle } from '../idempotency/handle.ts'
import type { CodeCheckResult } from '../../adapters/network/network.ts'
import type { IdempotencyOutcome } from '../../store/idempotency.ts'
import { insertAuditEntry } from '../../store/audit.ts'
import type { CardRow } from '../../store/cards.ts'
import { countDayAttempts, countWrongCodes, type DayAttemptCap } from '../../store/send-limits.ts'
import type { EventRow } from '../../store/outbox.ts'
import { StoreOutcomeUnknown } from '../../store/store.ts'
import {
  checkCode,
  type CheckCode,
  type CodeAttemptResult,
  completeVerification,
  findVerification,
  verificationsTable,
} from '../../store/verifications.ts'

import type { CapUsedUp, CodeCap } from './evaluated-codes.ts'
import { dailyCapsOf, dailyAttemptCap } from './daily-caps.ts'
import { buildCodeAttempt, codeFailedEntry, cardVerifiedEntry, type CodeAttemptContext } from './code-attempt.ts'
import type { VerificationDependencies } from './dependencies.ts'

/**
 * Checks a code and verifies the card if the code is correct. The store counts the attempt and decides in one transaction. If the network sent the code,
 * it is called after the attempt was counted. A code that is not six digits is refused and uses up no attempt.
 */
export async function verifyCode(
  deps: VerificationDependencies,
  token: string,
  code: string,
  ctx: RequestContext<CardRow>,
): Promise<CardRow> {
  const digits = code.trim()
  return retryOnConflict(async () => {
    const live = await requireLiveCard(deps.cards, token, ctx)
    if (live.card.verified) return live.card
    const attempt = await deps.store.read(findVerification(live.card))
    if (attempt === null) throw new RpcError('codeNotRequested')
    await deps.rows.require(attempt, ctx.requestId)
    if (!isSixDigits(digits)) throw new RpcError('codeMalformed')
    return attemptVerification({ deps, live, attempt, code: digits, ctx }, token)
  })
}

/** The verified card; null if the card or the attempt changed meanwhile and the code was not checked. */
async function attemptVerification(context: CodeAttemptContext, token: string): Promise<CardRow | null> {
  const { deps, live, ctx } = context
  const verified = await deps.cards.rows.seal(verifiedCard(deps.cards.settings, live.card, deps.clock.now()))
  const decision = await checkWithStoreAndNetwork(context, verified)
  if ('outcome' in decision) return applyStoreDecision(context, decision, verified, token)
  if (decision.kind === 'correct') return completeAfterNetworkCheck(context, verified, token)
  const isRefusal = decision.kind === 'refused'
  await deps.store.write(insertAuditEntry, {
    audit: codeFailedEntry(context, isRefusal ? decision.reason : networkAuditOutcomes[decision.kind], deps.clock.now()),
  })
  if (isRefusal) throw refusalError(decision, ctx.requestId)
  throw new RpcError(decision.kind === 'incorrect' ? wrongCodeError(decision.isLast) : networkErrors[decision.kind])
}

type CodeExtras = Pick<CheckCode, 'events' | 'idempotency'>
type StoreDecision = Exclude<CodeAttemptResult, { outcome: 'networkDecides' }>
type WrongCode = { readonly kind: 'incorrect'; readonly isLast: boolean }
type CodeDecision = StoreDecision | Exclude<CodeCheckResult, { kind: 'incorrect' }> | WrongCode | CausedNetworkRefusal

/** Checks that the network admits the card, then the code in the store, or at the network if it sent the code. */
async function checkWithStoreAndNetwork(context: CodeAttemptContext, verified: CardRow): Promise<CodeDecision> {
  const { deps, live, attempt, code, ctx } = context
  const { network, peers, keyring, store, clock, settings } = deps
  const { merchantId, expiry } = live.card
  const options = { gate: peers.network, merchantId, clock, timeoutMs: settings.networkTimeoutMs, signal: ctx.signal }
  // Before the attempt is counted: an open breaker costs the cardholder none.
  if (attempt.sentBy === 'network') requireNetwork(peers.network, merchantId)
  return usePan(deps.cards, live, async (pan) => {
    const refusal = await callNetworkAdapter(options, (signal) => network.precheckCard({ merchantId, pan, expiry }, signal))
    if (refusal !== null) return refusal
    const daily = dailyCapsOf(deps, merchantId)
    const cap = daily === null ? null : await dailyAttemptCap(keyring, pan, { maxAttempts: settings.cardDayAttemptsMax, caps: daily })
    const caps = evaluationCaps(context, cap)
    const event = await deps.cards.eventRows.seal(cardEvent('card.verified', verified, clock.now()))
    const attempted = await buildCodeAttempt(context, verified, cap)
    const tooManyWrong = await findWrongCodeReset(context)
    if (tooManyWrong !== null) return tooManyWrong
    const usedUp = await deps.evaluatedCodes.claim(caps, clock.now())
    if (usedUp !== null) return decideUsedUp(context, usedUp, cap)
    const decision = await resolveClaim(deps, caps, async () =>
      requireNoConflict(await store.write(checkCode, { attempt: attempted, ...codeExtras(ctx.idempotency, verified, event) })),
    )
    if (decision.outcome === 'incorrect') deps.wrongCodes.record(attempted.now.wallMs)
    if (decision.outcome !== 'networkDecides') return decision
    const codeCheck = { merchantId, pan, expiry, requestId: attempt.attemptId, networkRef: attempt.networkRef, code }
    const checked = await callCardNetwork(options, (signal) => network.checkCode(codeCheck, signal))
    if (checked.kind !== 'incorrect') return checked
    deps.wrongCodes.record(attempted.now.wallMs)
    return { kind: 'incorrect', isLast: decision.isLast }
  })
}

/** Only a code that was evaluated and not found right counts, and one whose outcome is unknown. */
async function resolveClaim(
  { evaluatedCodes }: VerificationDependencies,
  caps: readonly CodeCap[],
  check: () => Promise<CodeAttemptResult>,
): Promise<CodeAttemptResult> {
  try {
    const decision = await check()
    evaluatedCodes.resolve(caps, countedOutcomes.has(decision.outcome) ? 'counted' : 'notCounted')
    return decision
  } catch (err) {
    evaluatedCodes.resolve(caps, err instanceof StoreOutcomeUnknown ? 'unknown' : 'notCounted')
    throw err
  }
}

/** The caps of one evaluation, counted in memory: of the code, and of the card number and day. */
function evaluationCaps({ deps, attempt }: CodeAttemptContext, cap: DayAttemptCap | null): CodeCap[] {
  const { otpAttemptsMax, otpLifetimeMs } = deps.settings
  const code: CodeCap = {
    kind: 'code',
    subject: attempt.attemptId,
    max: otpAttemptsMax,
    endsAt: attempt.requestedAt.wallMs + otpLifetimeMs,
  }
  if (cap === null) return [code]
  const { subject, keyId, maxAttempts, endsAt } = cap
  return [code, { kind: 'cardDay', subject: `${keyId} ${Buffer.from(subject).toString('hex')}`, max: maxAttempts, endsAt }]
}

/** This process evaluated as many wrong codes of all cards as an hour allows, and the stored count allows more: somebody has written to the database. */
async function findWrongCodeReset(context: CodeAttemptContext): Promise<StoreDecision | null> {
  const { store, clock, wrongCodes, settings } = context.deps
  const now = clock.now()
  const retryAfterMs = settings.limits ? wrongCodes.waitMs(now, settings.maxWrongCodesPerHour) : 0
  if (retryAfterMs === 0) return null
  const stored = await store.read(countWrongCodes(now))
  if (stored >= settings.maxWrongCodesPerHour) return null
  // A right code of the network that was counted in one slice and subtracted in the next can make the stored count a little smaller.
  if (stored < settings.maxWrongCodesPerHour / 2) alarmReset(context, dayAttempts)
  return { outcome: 'wrongCodeLimit', retryAfterMs }
}

/** This process evaluated as many codes as a cap admits. If the stored count says less, somebody has written to the database. */
async function decideUsedUp(
  context: CodeAttemptContext,
  { cap, isConfirmed }: CapUsedUp,
  dayCap: DayAttemptCap | null,
): Promise<StoreDecision> {
  const { deps, live, attempt } = context
  if (cap.kind === 'cardDay') {
    if (isConfirmed && dayCap !== null && (await deps.store.read(countDayAttempts(dayCap))) < cap.max) alarmReset(context, dayAttempts)
    return { outcome: 'dayAttemptsUsedUp', retryAfterMs: Math.max(1, cap.endsAt - deps.clock.now()) }
  }
  const stored = await deps.store.read(findVerification(live.card))
  if (stored?.attemptId !== attempt.attemptId) return { outcome: 'conflict' }
  if (isConfirmed && stored.attempts < deps.settings.otpAttemptsMax) alarmReset(context, verificationsTable.name)
  return { outcome: 'attemptsUsedUp' }
}

function alarmReset({ deps, live, ctx }: CodeAttemptContext, table: string): void {
  const { merchantId, cardId } = live.card
  deps.alarm('row_tampered', { merchantId, cardId, requestId: ctx.requestId, table })
}

const dayAttempts = 'day_tries'

async function applyStoreDecision(
  { deps, attempt, ctx }: CodeAttemptContext,
  decision: StoreDecision,
  verified: CardRow,
  token: string,
): Promise<CardRow | null> {
  if (decision.outcome === 'verified') {
    if (attempt.phoneMask !== null)
      deps.smsGuard.recordConversion(attempt.phoneMask, deps.clock.now() - attempt.requestedAt.wallMs, verified.merchantId)
    return verified
  }
  if (decision.outcome === 'conflict') return null
  if (decision.outcome === 'expired' || decision.outcome === 'notRequested') {
    // The same code, submitted twice at once: the first one verified the card and closed the attempt.
    const { card } = await requireLiveCard(deps.cards, token, ctx)
    if (card.verified) return card
  }
  if (decision.outcome === 'wrongCodeLimit') throw new RpcError('wrongCodeLimit', { retryAfterMs: decision.retryAfterMs })
  if (decision.outcome === 'dayAttemptsUsedUp') throw new RpcError('cardDayTriesUsedUp', { retryAfterMs: decision.retryAfterMs })
  throw new RpcError(decision.outcome === 'incorrect' ? wrongCodeError(decision.isLast) : storeErrors[decision.outcome])
}

/** The network accepted the code. The card's row may have changed meanwhile, by a reseal or a removal. */
async function completeAfterNetworkCheck({ deps, attempt, ctx }: CodeAttemptContext, verified: CardRow, token: string): Promise<CardRow> {
  const { store, cards, clock } = deps
  const { bucket, merchantId, cardId, attemptId } = attempt
  let next = verified
  return retryOnConflict(async () => {
    const now = clock.now()
    const audit = cardVerifiedEntry(ctx, next, now)
    const decrementWrongCodesAt = deps.settings.limits ? now : null
    const completion = { bucket, merchantId, cardId, attemptId, decrementWrongCodesAt, verifiedCard: next, audit }
    const extras = extrasWithEvent(outcomeExtras(ctx.idempotency, next), await cards.eventRows.seal(cardEvent('card.verified', next, now)))
    if (requireNoConflict(await store.write(completeVerification, { ...completion, ...extras }))) return next
    const { card } = await requireLiveCard(cards, token, ctx)
    if (card.verified) return card
    if ((await store.read(findVerification(card)))?.attemptId !== attemptId) throw new RpcError('codeExpired')
    next = await cards.rows.seal(verifiedCard(cards.settings, card, clock.now()))
    return null
  })
}

/**
 * If the service sent the code, the outcome and its effect are stored in one transaction. If the network sent it, only the claim is stored before the
 * network is called.
 */
function codeExtras(idempotency: IdempotencyHandle<CardRow> | null, verified: CardRow, event: EventRow): CodeExtras {
  const events = [event]
  if (idempotency === null) return { events, idempotency: null }
  const outcomeOfWrongCode = (isLast: boolean): IdempotencyOutcome | null => idempotency.outcome(new RpcError(wrongCodeError(isLast)))
  return {
    events,
    idempotency: {
      claim: idempotency.claim(verified.cardId),
      outcome: idempotency.outcome(verified),
      outcomeIfWrong: outcomeOfWrongCode(false),
      outcomeIfLastWrong: outcomeOfWrongCode(true),
    },
  }
}

function isSixDigits(code: string): boolean {
  return /^[0-9]{6}$/.test(code)
}

/** A code that the network evaluates counts as wrong until it replies, in the store too. */
const countedOutcomes: ReadonlySet<CodeAttemptResult['outcome']> = new Set(['incorrect', 'networkDecides'])

/** The reply to the last wrong code says that no attempt is left; the cardholder need not try once more to learn it. */
function wrongCodeError(isLast: boolean): 'triesUsedUp' | 'wrongCode' {
  return isLast ? 'triesUsedUp' : 'wrongCode'
}

const storeErrors = { attemptsUsedUp: 'triesUsedUp', expired: 'codeExpired', notRequested: 'codeNotRequested' } as const
const networkErrors = { expired: 'codeExpired', attemptsUsedUp: 'triesUsedUp', unknown: 'codeNotRequested' } as const
/** The outcomes in the audit, equal to the `reason` of the error. */
const networkAuditOutcomes = {
  incorrect: 'wrong_code',
  expired: 'code_expired',
  attemptsUsedUp: 'tries_used_up',
  unknown: 'code_not_requested',
} as const
