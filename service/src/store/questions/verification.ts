import { timingSafeEqual } from 'node:crypto'
import { bytes, integer, text, textOrNull, truth, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row, Value } from '../statement.ts'
import type {
  AuditNote,
  BeginVerification,
  CardKey,
  CardRiders,
  CodeRiders,
  CardRow,
  CodeTry,
  FinishVerification,
  SendLimits,
  SettledAttempt,
  TriedCode,
  VerificationRow,
} from '../store.ts'
import { note, one, rows, undo } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'
import { replaceCard } from './cards.ts'
import { answerKey } from './idempotency.ts'
import { claimSend, countDayTry } from './limits.ts'
import { addWrongCodes, askWrongCodes } from './wrong-codes.ts'
import { carry, keepEvents } from './riders.ts'

const columnList = [
  ...['bucket', 'card_id', 'merchant_id', 'attempt_id', 'otp_hash', 'otp_key_id', 'sent_by', 'phone_mask', 'network_ref', 'outcome'],
  ...['tries', 'tries_max', 'life_ms', 'asked_wall', 'asked_mono', 'asked_boot', 'open'],
]
const columns = columnList.join(', ')

// One row a card: the new attempt takes the place of the old, whose code is dead from then on. Within one boot the clock that never jumps
// measures the wait; between two machines there is only the wall clock.
const upsertAttempt = sql`
  insert into verifications (${columns}) values (${places(columnList.length)})
  on conflict (bucket, card_id) do update set ${columnList
    .slice(3)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}
  where verifications.merchant_id = excluded.merchant_id and
    case when verifications.asked_boot = excluded.asked_boot then excluded.asked_mono - verifications.asked_mono
         else excluded.asked_wall - verifications.asked_wall end >= cast($${columnList.length + 1} as bigint)
  returning attempt_id`

const selectAttempt = sql`select ${columns} from verifications where bucket = $1 and card_id = $2 and merchant_id = $3`

export interface BeginAsk {
  readonly attempt: VerificationRow
  readonly limits: SendLimits
  readonly audit: AuditNote
  readonly riders: CardRiders | null
}

/** Decides the resend wait and the send limits, ends the old code and keeps the new attempt, all in one unit. */
export function* beginVerification(ask: BeginAsk): Unit<BeginVerification | 'twin'> {
  return yield* carry(ask.riders, begin(ask), ({ begun }) => begun)
}

function* begin({ attempt, limits, audit }: BeginAsk): Unit<BeginVerification> {
  const begun = yield* one(upsertAttempt, [...attemptValues(attempt), limits.resendWaitMs])
  if (begun === null) return { begun: false, because: 'tooSoon', retryAfterMs: yield* askWait(attempt, limits.resendWaitMs) }

  const pan = limits.pan === null ? null : yield* claimSend(limits.pan)
  if (pan?.claimed === false) {
    yield* undo()
    return { begun: false, because: 'panLimit', retryAfterMs: pan.retryAfterMs }
  }
  yield* note(audit)
  return { begun: true }
}

/** How long it is until another code may be asked for. */
function* askWait(attempt: VerificationRow, waitMs: number): Unit<number> {
  const held = yield* one(selectAttempt, keyValues(attempt))
  if (held === null) return 1
  const { askedAt } = tellAttempt(held)
  const now = attempt.askedAt
  const elapsedMs = askedAt.bootId === now.bootId ? now.monotonicMs - askedAt.monotonicMs : now.wallMs - askedAt.wallMs
  return Math.min(Math.max(Math.ceil(waitMs - elapsedMs), 1), waitMs)
}

const updateSettled = sql`
  update verifications set sent_by = $5, phone_mask = $6, network_ref = $7, outcome = $8
  where bucket = $1 and card_id = $2 and merchant_id = $3 and attempt_id = $4
  returning attempt_id`

export interface SettleAsk {
  readonly settled: SettledAttempt
  readonly audit: AuditNote
  readonly riders: CardRiders | null
}

/** Keeps what the network or the gateway said; nothing when another attempt has taken the place. */
export function* settleVerification(ask: SettleAsk): Unit<boolean | 'twin'> {
  return yield* carry(ask.riders, settle(ask), (isSettled) => isSettled)
}

function* settle({ settled, audit }: SettleAsk): Unit<boolean> {
  const said = [settled.sentBy, settled.phoneMask, settled.networkRef, settled.outcome]
  const kept = yield* one(updateSettled, [...keyValues(settled), settled.attemptId, ...said])
  if (kept === null) return false
  yield* note(audit)
  return true
}

export function findVerification(key: CardKey): Read<VerificationRow | null> {
  return { statement: selectAttempt, values: keyValues(key), tell: ([row]) => (row === undefined ? null : tellAttempt(row)) }
}

// The one place where a try is counted: whoever is not counted here is not evaluated. The code's age is below its life on both clocks, the
// two agree since it was asked for, and a wall clock before the asking shuts; across boots there is the wall clock alone.
const countTry = sql`
  update verifications set tries = tries + 1
  where bucket = $1 and card_id = $2 and merchant_id = $3 and attempt_id = $4 and open = 1 and tries < tries_max
    and cast($5 as bigint) - asked_wall < life_ms and cast($5 as bigint) - asked_wall >= 0 - cast($8 as bigint)
    and (asked_boot <> $7 or (cast($6 as bigint) - asked_mono < life_ms
      and abs((cast($5 as bigint) - asked_wall) - (cast($6 as bigint) - asked_mono)) <= cast($8 as bigint)))
  returning otp_hash, sent_by`

/** Counts one try and evaluates the code against the hash (when we sent it), and verifies the card if it is right: one unit. */
export function* tryCode(ask: { attempt: CodeTry; riders: CodeRiders | null }): Unit<TriedCode | 'twin'> {
  const { attempt, riders } = ask
  // What rides beside the claim depends on what the try finds.
  const claim = riders === null ? null : { claim: riders.claim, answer: null, events: [] }
  return yield* carry(claim, tryOnce(attempt, riders), ({ outcome }) => COUNTED.has(outcome))
}

function* tryOnce(ask: CodeTry, riders: CodeRiders | null): Unit<TriedCode> {
  const { now, dayCap, wrongCodesHourMax } = ask
  const clocks = [Math.trunc(now.wallMs), Math.trunc(now.monotonicMs), now.bootId, ask.driftMaxMs]
  const counted = yield* one(countTry, [...keyValues(ask), ask.attemptId, ...clocks])
  if (counted === null) return { outcome: yield* askWhyNot(ask) }

  if (dayCap !== null && !(yield* countDayTry(dayCap))) {
    // Not evaluated, so not counted against the code either.
    yield* undo()
    return { outcome: 'dayTriesUsedUp', retryAfterMs: Math.max(1, dayCap.endsAt - now.wallMs) }
  }
  const breaker = { bucket: ask.bucket, at: now.wallMs }
  const retryAfterMs = wrongCodesHourMax === null ? 0 : yield* askWrongCodes(breaker, wrongCodesHourMax)
  if (retryAfterMs > 0) {
    yield* undo()
    return { outcome: 'wrongCodesUsedUp', retryAfterMs }
  }
  if (counted['sent_by'] === 'network') {
    // Wrong until the network says otherwise: of many at once none is forgotten.
    if (wrongCodesHourMax !== null) yield* addWrongCodes(breaker, 1)
    return { outcome: 'askNetwork' }
  }
  if (sameHash(bytes(counted, 'otp_hash'), ask.otpHash)) return yield* verify(ask, riders)
  if (wrongCodesHourMax !== null) yield* addWrongCodes(breaker, 1)
  yield* note(ask.auditWrong)
  if (riders !== null) yield* answerKey(riders.answerWrong)
  return { outcome: 'wrong' }
}

/** After a network found the code right: closes the attempt and verifies the card. False when the attempt or the card's version moved. */
export function* finishVerification(ask: { finish: FinishVerification; riders: CardRiders | null }): Unit<boolean | 'twin'> {
  return yield* carry(ask.riders, finishAttempt(ask.finish), (isVerified) => isVerified)
}

function* finishAttempt(finish: FinishVerification): Unit<boolean> {
  const isVerified = (yield* verify({ ...finish, auditRight: finish.audit }, null)).outcome === 'verified'
  if (isVerified && finish.uncountAt !== null) yield* addWrongCodes({ bucket: finish.bucket, at: finish.uncountAt }, -1)
  return isVerified
}

const closeOpen = sql`
  update verifications set open = 0 where bucket = $1 and card_id = $2 and merchant_id = $3 and attempt_id = $4 and open = 1
  returning attempt_id`

type Verify = Pick<CodeTry, keyof CardKey | 'attemptId' | 'verifiedCard' | 'auditRight'>

function* verify(ask: Verify, riders: CodeRiders | null): Unit<TriedCode> {
  const closed = yield* one(closeOpen, [...keyValues(ask), ask.attemptId])
  if (closed === null || !(yield* replaceCard(ask.verifiedCard))) {
    yield* undo()
    return { outcome: 'moved' }
  }
  yield* note(ask.auditRight)
  if (riders !== null) {
    yield* answerKey(riders.answer)
    yield* keepEvents(riders.events)
  }
  return { outcome: 'verified' }
}

/**
 * Why a try was not counted. On PostgreSQL this looks at a newer state than the update did, but nothing that it looks at ever goes back for
 * one attempt: tries only grow, closed stays closed, another attempt never becomes this one again.
 */
function* askWhyNot(ask: CodeTry): Unit<'notRequested' | 'moved' | 'triesUsedUp' | 'tooOld'> {
  const row = yield* one(selectAttempt, keyValues(ask))
  if (row === null) return 'notRequested'
  const attempt = tellAttempt(row)
  if (attempt.attemptId !== ask.attemptId) return 'moved'
  if (!attempt.open && (yield* hasMoved(ask.verifiedCard))) return 'moved'
  if (attempt.tries >= attempt.triesMax) return 'triesUsedUp'
  // Too old, or the clocks quarrel: closed for good, so that a clock that jumps back does not open it again.
  yield* rows(closeOpen, [...keyValues(ask), ask.attemptId])
  return 'tooOld'
}

const selectVersion = sql`select version from cards where bucket = $1 and card_id = $2 and merchant_id = $3`

/** Whether the card is not the one any more that would have been verified; so a second right code meets a verified card. */
function* hasMoved(verified: CardRow): Unit<boolean> {
  const row = yield* one(selectVersion, keyValues(verified))
  return row === null || integer(row, 'version') !== verified.version - 1
}

function sameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

function keyValues(key: CardKey): Value[] {
  return [key.bucket, key.cardId, key.merchantId]
}

function attemptValues(attempt: VerificationRow): Value[] {
  const { askedAt } = attempt
  return [
    ...[attempt.bucket, attempt.cardId, attempt.merchantId, attempt.attemptId, attempt.otpHash, attempt.otpKeyId, attempt.sentBy],
    ...[attempt.phoneMask, attempt.networkRef, attempt.outcome, attempt.tries, attempt.triesMax, attempt.lifeMs],
    ...[Math.trunc(askedAt.wallMs), Math.trunc(askedAt.monotonicMs), askedAt.bootId, Number(attempt.open)],
  ]
}

function tellAttempt(row: Row): VerificationRow {
  return {
    bucket: integer(row, 'bucket'),
    cardId: text(row, 'card_id'),
    merchantId: text(row, 'merchant_id'),
    attemptId: text(row, 'attempt_id'),
    otpHash: bytes(row, 'otp_hash'),
    otpKeyId: text(row, 'otp_key_id'),
    sentBy: row['sent_by'] === null ? null : word(row, 'sent_by', ['us', 'network']),
    phoneMask: textOrNull(row, 'phone_mask'),
    networkRef: textOrNull(row, 'network_ref'),
    outcome: text(row, 'outcome'),
    tries: integer(row, 'tries'),
    triesMax: integer(row, 'tries_max'),
    lifeMs: integer(row, 'life_ms'),
    askedAt: { wallMs: integer(row, 'asked_wall'), monotonicMs: integer(row, 'asked_mono'), bootId: text(row, 'asked_boot') },
    open: truth(row, 'open'),
  }
}

/** The outcomes of a try that was counted: with them a claim is kept. */
const COUNTED: ReadonlySet<TriedCode['outcome']> = new Set(['verified', 'wrong', 'askNetwork'])
