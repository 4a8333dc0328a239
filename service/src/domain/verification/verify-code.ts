import { RpcError } from '@tessera/contract/errors'
import { foldCode, hasLetters, isVerificationCode, type CodeFormat } from '@tessera/contract/verification-code'

import { retryOnConflict } from '../concurrency.ts'
import type { RequestContext } from '../request-context.ts'
import { cardEvent, extrasWithEvent } from '../cards/change-records.ts'
import { requireLiveCard, usePan } from '../cards/find.ts'
import { verifiedCard } from '../cards/lifecycle.ts'
import { callCardNetwork, callNetworkAdapter, refusalError, requireNetwork, type CausedNetworkRefusal } from '../cards/network-call.ts'
import { requireNetworkOfCard } from '../networks.ts'
import { requireNoConflict, outcomeExtras } from '../idempotency/handle.ts'
import type { CodeCheckResult } from '../../adapters/network/network.ts'
import type { IdempotencyOutcome } from '../../store/idempotency.ts'
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
  recordNetworkReply,
  type RecordNetworkReply,
  type VerificationRow,
  verificationsTable,
} from '../../store/verifications.ts'

import type { StopSubject, WrongCodeStop } from '../../store/verification-stops.ts'

import type { CapUsedUp, CodeCap } from './evaluated-codes.ts'
import { dailyCapsOf, dailyAttemptCap } from './daily-caps.ts'
import { buildCodeAttempt, codeFailedEntry, cardVerifiedEntry, type CodeAttemptContext } from './code-attempt.ts'
import type { VerificationDependencies } from './dependencies.ts'
import { codeFormatOf } from './dispatch.ts'
import { policyOf, type VerificationPolicy } from './policy.ts'
import { requireNotStopped, stopOf } from './stops.ts'

/**
 * Checks a code and verifies the card if the code is correct. The store counts the attempt and decides in one transaction. If the network sent the code,
 * it is called after the attempt was counted. What cannot be a code by the policy of the card is refused and uses up no attempt.
 */
export async function verifyCode(
  deps: VerificationDependencies,
  token: string,
  code: string | number,
  ctx: RequestContext<CardRow>,
): Promise<CardRow> {
  return retryOnConflict(async () => {
    const live = await requireLiveCard(deps.cards, token, ctx)
    if (live.card.verified) return live.card
    const policy = policyOf(deps, live.card)
    const attempt = await deps.store.read(findVerification(live.card))
    if (attempt !== null) await deps.rows.require(attempt, ctx.requestId)
    if (policy.stop !== null) await requireCardNotStopped(deps, policy, { live, attempt, ctx })
    if (attempt === null) throw new RpcError('codeNotRequested')
    // Nothing was sent to this phone, or not to the cardholder.
    if (attempt.outcome === 'holderMismatch') throw new RpcError('holderMismatch')
    return attemptVerification({ deps, live, policy, attempt, code: readCode(deps, policy, code), ctx }, token)
  })
}

/** The characters of a code. A code sent as a JSON number has lost its leading zeros. Throws `codeMalformed` for what cannot be a code. */
function readCode({ codes }: VerificationDependencies, policy: VerificationPolicy, code: string | number): string {
  const format = codeFormatOf(policy, codes)
  const typed = typeof code === 'number' ? restoreZeros(code, format) : code.trim()
  const folded = foldCode(typed, format.alphabet)
  if (!isVerificationCode(folded, format)) throw new RpcError('codeMalformed')
  return folded
}

function restoreZeros(code: number, { length, alphabet, fixed }: CodeFormat): string {
  const digits = String(code)
  return digits === fixed || hasLetters(alphabet) ? digits : digits.padStart(length, '0')
}

/** Throws `verificationStopped` while a stop after wrong codes lasts, whatever the state of the code is. */
async function requireCardNotStopped(
  deps: VerificationDependencies,
  policy: VerificationPolicy,
  { live, attempt, ctx }: Pick<CodeAttemptContext, 'live' | 'ctx'> & { readonly attempt: VerificationRow | null },
): Promise<void> {
  const { card } = live
  const stop = await usePan(deps.cards, live, (pan) => stopOf(deps, policy, { card, pan, phone: phoneOf(attempt) }))
  await requireNotStopped(deps, stop, { merchantId: card.merchantId, cardId: card.cardId, requestId: ctx.requestId })
}

/** What the phone of a code of the service counts under. */
function phoneOf(attempt: VerificationRow | null): string | null {
  return attempt?.sentBy === 'us' ? attempt.networkRef : null
}

/** The verified card; null if the card or the attempt changed meanwhile and the code was not checked. */
async function attemptVerification(context: CodeAttemptContext, token: string): Promise<CardRow | null> {
  const { deps, live, ctx } = context
  const verified = await deps.cards.rows.seal(verifiedCard(deps.cards.settings, live.card, deps.clock.now()))
  const { decision, stop, stopped } = await checkWithStoreAndNetwork(context, verified)
  if ('outcome' in decision) return applyStoreDecision(context, decision, verified, token)
  if (decision.kind === 'correct') return completeAfterNetworkCheck(context, { verified, token, stop })
  const isRefusal = decision.kind === 'refused'
  const effect = stopEffectOf(decision)
  const at = deps.clock.now()
  await deps.store.write(recordNetworkReply, {
    audit: codeFailedEntry(context, isRefusal ? decision.reason : networkAuditOutcomes[decision.kind], at),
    stop,
    effect,
    at,
  })
  if (effect === 'uncount') deps.begunStops.forget(stopped)
  if (isRefusal) throw refusalError(decision, ctx.requestId)
  if (decision.kind === 'incorrect') throw wrongCodeError(context.policy, effectOf(decision))
  if (decision.kind === 'attemptsUsedUp' && stop !== null && stop.subjects.length > 0) {
    deps.begunStops.record(stop.subjects, at + stop.durationMs)
    throw wrongCodeError(context.policy, { isLast: true, isStopped: true })
  }
  throw new RpcError(networkErrors[decision.kind])
}

/** The code counts as wrong since before the network was called. Without a reply it may have been evaluated, so it stays counted. */
function stopEffectOf(decision: NetworkDecision): RecordNetworkReply['effect'] {
  if (decision.kind === 'attemptsUsedUp') return 'stop'
  if (decision.kind === 'incorrect') return 'keep'
  return decision.kind === 'refused' && (decision.reason === 'timeout' || decision.reason === 'systemError') ? 'keep' : 'uncount'
}

type CodeExtras = Pick<CheckCode, 'events' | 'idempotency'>
type StoreDecision = Exclude<CodeAttemptResult, { outcome: 'networkDecides' }>
type WrongCode = { readonly kind: 'incorrect' } & CountedAsWrong
type NetworkDecision = Exclude<CodeCheckResult, { kind: 'incorrect' }> | WrongCode | CausedNetworkRefusal
type CodeDecision = StoreDecision | NetworkDecision

/** `stop`: under what the code was counted as wrong, if it was; null where the policy knows no stop. */
interface DecidedCode {
  readonly decision: CodeDecision
  readonly stop: WrongCodeStop | null
  /** For whom a stop began, unless the network finds the code right or does not evaluate it. */
  readonly stopped: readonly StopSubject[]
}

/** Checks that the network admits the card, then the code in the store, or at the network if it sent the code. */
async function checkWithStoreAndNetwork(context: CodeAttemptContext, verified: CardRow): Promise<DecidedCode> {
  const { deps, live, policy, attempt, code, ctx } = context
  const { networks, keyring, store, clock, settings } = deps
  const { merchantId, expiry, maskedPan } = live.card
  const { network, gate } = requireNetworkOfCard(networks, maskedPan)
  const options = { gate, merchantId, clock, timeoutMs: settings.networkTimeoutMs, signal: ctx.signal }
  // Before the attempt is counted: an open breaker costs the cardholder none.
  if (attempt.sentBy === 'network') requireNetwork(gate, merchantId)
  return usePan(deps.cards, live, async (pan) => {
    const refusal = await callNetworkAdapter(options, (signal) => network.precheckCard({ merchantId, pan, expiry }, signal))
    // Nothing is counted yet.
    if (refusal !== null) return { decision: refusal, stop: null, stopped: [] }
    const daily = dailyCapsOf(deps, merchantId)
    const cap = daily === null ? null : await dailyAttemptCap(keyring, pan, { maxAttempts: settings.cardDayAttemptsMax, caps: daily })
    const caps = evaluationCaps(context, cap)
    const event = await deps.cards.eventRows.seal(cardEvent('card.verified', verified, clock.now()))
    const stop = await stopOf(deps, policy, { card: live.card, pan, phone: phoneOf(attempt) })
    const attempted = await buildCodeAttempt(context, verified, { cap, stop })
    const tooManyWrong = await findWrongCodeReset(context)
    if (tooManyWrong !== null) return { decision: tooManyWrong, stop, stopped: [] }
    const usedUp = await deps.evaluatedCodes.claim(caps, clock.now())
    if (usedUp !== null) return { decision: await decideUsedUp(context, usedUp, cap), stop, stopped: [] }
    const decision = await resolveClaim(deps, caps, async () =>
      requireNoConflict(await store.write(checkCode, { attempt: attempted, ...codeExtras(context, verified, event) })),
    )
    if (decision.outcome === 'incorrect') deps.wrongCodes.record(attempted.now.wallMs)
    if (stop !== null && evaluatedOutcomes.has(decision.outcome)) deps.begunStops.forget(stop.subjects)
    const stopped = 'stopped' in decision ? decision.stopped : []
    // Before the network is called: without its reply the code stays counted.
    deps.begunStops.record(stopped, attempted.now.wallMs + (stop?.durationMs ?? 0))
    if (decision.outcome !== 'networkDecides') return { decision, stop, stopped }
    const codeCheck = { merchantId, pan, expiry, requestId: attempt.attemptId, networkRef: attempt.networkRef, code }
    const checked = await callCardNetwork(options, (signal) => network.checkCode(codeCheck, signal))
    if (checked.kind !== 'incorrect') return { decision: checked, stop, stopped }
    deps.wrongCodes.record(attempted.now.wallMs)
    return { decision: { kind: 'incorrect', isLast: decision.isLast, stopped }, stop, stopped }
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
function evaluationCaps({ policy, attempt }: CodeAttemptContext, cap: DayAttemptCap | null): CodeCap[] {
  const code: CodeCap = {
    kind: 'code',
    subject: attempt.attemptId,
    max: policy.maxAttempts,
    endsAt: attempt.requestedAt.wallMs + policy.lifetimeMs,
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
  const { deps, live, policy, attempt } = context
  if (cap.kind === 'cardDay') {
    if (isConfirmed && dayCap !== null && (await deps.store.read(countDayAttempts(dayCap))) < cap.max) alarmReset(context, dayAttempts)
    return { outcome: 'dayAttemptsUsedUp', retryAfterMs: Math.max(1, cap.endsAt - deps.clock.now()) }
  }
  const stored = await deps.store.read(findVerification(live.card))
  if (stored?.attemptId !== attempt.attemptId) return { outcome: 'conflict' }
  if (isConfirmed && stored.attempts < policy.maxAttempts) alarmReset(context, verificationsTable.name)
  return { outcome: 'attemptsUsedUp' }
}

function alarmReset({ deps, live, ctx }: CodeAttemptContext, table: string): void {
  const { merchantId, cardId } = live.card
  deps.alarm('row_tampered', { merchantId, cardId, requestId: ctx.requestId, table })
}

const dayAttempts = 'day_tries'

async function applyStoreDecision(
  { deps, policy, attempt, ctx }: CodeAttemptContext,
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
  if (decision.outcome === 'stopped') throw new RpcError('verificationStopped', { retryAfterMs: decision.retryAfterMs })
  throw decision.outcome === 'incorrect' ? wrongCodeError(policy, effectOf(decision)) : new RpcError(storeErrors[decision.outcome])
}

/** The network accepted the code. The card's row may have changed meanwhile, by a reseal or a removal. */
async function completeAfterNetworkCheck(
  { deps, attempt, ctx }: CodeAttemptContext,
  { verified, token, stop }: { readonly verified: CardRow; readonly token: string; readonly stop: WrongCodeStop | null },
): Promise<CardRow> {
  const { store, cards, clock } = deps
  const { bucket, merchantId, cardId, attemptId } = attempt
  let next = verified
  return retryOnConflict(async () => {
    const now = clock.now()
    const audit = cardVerifiedEntry(ctx, next, now)
    const decrementWrongCodesAt = deps.settings.limits ? now : null
    const completion = { bucket, merchantId, cardId, attemptId, decrementWrongCodesAt, stop, verifiedCard: next, audit }
    const extras = extrasWithEvent(outcomeExtras(ctx.idempotency, next), await cards.eventRows.seal(cardEvent('card.verified', next, now)))
    if (requireNoConflict(await store.write(completeVerification, { ...completion, ...extras }))) {
      if (stop !== null) deps.begunStops.forget(stop.subjects)
      return next
    }
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
function codeExtras({ policy, ctx: { idempotency } }: CodeAttemptContext, verified: CardRow, event: EventRow): CodeExtras {
  const events = [event]
  if (idempotency === null) return { events, idempotency: null }
  const outcomeOf = (wrong: WrongCodeEffect): IdempotencyOutcome | null => idempotency.outcome(wrongCodeError(policy, wrong))
  return {
    events,
    idempotency: {
      claim: idempotency.claim(verified.cardId),
      outcome: idempotency.outcome(verified),
      outcomeIfWrong: outcomeOf({ isLast: false, isStopped: false }),
      outcomeIfLastWrong: outcomeOf({ isLast: true, isStopped: false }),
      outcomeIfStopped: outcomeOf({ isLast: true, isStopped: true }),
    },
  }
}

/** A code that the network evaluates counts as wrong until it replies, in the store too. */
const countedOutcomes: ReadonlySet<CodeAttemptResult['outcome']> = new Set(['incorrect', 'networkDecides'])
/** A code was evaluated, so no stop was in force: what this process remembers of an earlier one is over. */
const evaluatedOutcomes: ReadonlySet<CodeAttemptResult['outcome']> = new Set([...countedOutcomes, 'verified'])

/** As the store counted it: `stopped` are those for whom a stop begins. */
interface CountedAsWrong {
  readonly isLast: boolean
  readonly stopped: readonly StopSubject[]
}

function effectOf({ isLast, stopped }: CountedAsWrong): WrongCodeEffect {
  return { isLast, isStopped: stopped.length > 0 }
}

/** What a wrong code leads to: no attempt is left, or a stop begins. */
interface WrongCodeEffect {
  readonly isLast: boolean
  readonly isStopped: boolean
}

/** The reply to the last wrong code says that no attempt is left; the cardholder need not try once more to learn it. With a stop it says for how long. */
function wrongCodeError({ stop }: VerificationPolicy, { isLast, isStopped }: WrongCodeEffect): RpcError {
  if (!isLast) return new RpcError('wrongCode')
  return new RpcError('triesUsedUp', isStopped && stop !== null ? { retryAfterMs: stop.durationMs } : {})
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
