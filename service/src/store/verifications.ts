import { timingSafeEqual } from 'node:crypto'

import type { ClockReading } from '../clock.ts'
import type { AuditEntry } from './audit.ts'
import { type CardKey, type CardRow, replaceCard } from './cards.ts'
import { text, oneOf, integer, bigint, timestamp, boolean, bytes, rowMac, readInteger } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { type IdempotencyExtras, type TransactionExtras, withExtras } from './extras.ts'
import { type IdempotencyOutcome, storeIdempotencyOutcome } from './idempotency.ts'
import { type EventRow, insertEvents } from './outbox.ts'
import { type SendClaim, addWrongCodes, claimSend, countDayAttempt, findWrongCodeWait, type DayAttemptCap } from './send-limits.ts'
import { isOwnedBy, type Row, type Value, sql } from './statement.ts'
import {
  beginStop,
  claimWrongCode,
  forgetWrongCodes,
  uncountWrongCode,
  type StopSubject,
  type WrongCodeStop,
} from './verification-stops.ts'
import { type DuplicateRequest, type Read, type Transaction, rollback, runOne, writeAudit, execute } from './transaction.ts'

const counted = 'changed by conditional updates, which have no keys; the limits come from the settings'

// prettier-ignore
export const verificationsTable = table('verifications', {
  bucket:        integer().key(),
  cardId:        text().key(),
  merchantId:    text().owner(),
  attemptId:     text(),
  otpHash:       bytes(),                           // keyed hash of a code of ours; only the network knows its own codes
  otpKeyId:      text(),
  sentBy:        oneOf('us', 'network').nullable(), // null until the network has replied
  phoneMask:     text().nullable(),
  networkRef:    text().nullable(),                 // the network's reference; of a code of ours, what its phone counts under (domain/verification/stops.ts)
  outcome:       text(),                            // `asked` before the network is called, then `sent` or the reason why not
  attempts:      integer().named('tries').notCovered(counted),
  requestedWall: timestamp().named('asked_wall'),
  requestedMono: bigint().named('asked_mono'),
  requestedBoot: text().named('asked_boot'),
  open:          boolean().notCovered(counted),
  mac:           rowMac(),
})

export interface VerificationRow extends Omit<RowOf<typeof verificationsTable>, 'requestedWall' | 'requestedMono' | 'requestedBoot'> {
  readonly requestedAt: ClockReading
}

export interface SendLimits {
  readonly resendWaitMs: number
  /** Null where day limits are disabled (test environment only). */
  readonly pan: SendClaim | null
}

export type BeginVerificationResult =
  { readonly ok: true } | { readonly ok: false; readonly reason: 'tooSoon' | 'panLimit'; readonly retryAfterMs: number }

export interface SendResult extends CardKey {
  readonly attemptId: string
  readonly sentBy: 'us' | 'network' | null
  readonly phoneMask: string | null
  readonly networkRef: string | null
  readonly outcome: string
  readonly mac: Uint8Array
  /** Of the row that this result belongs to. */
  readonly previousMac: Uint8Array
}

export interface CodeAttempt extends CardKey {
  /** The row that the code is checked against, as it was read and its MAC verified: another row with the same id is not. */
  readonly stored: Pick<VerificationRow, 'otpHash' | 'sentBy' | 'mac'>
  /** From the settings. */
  readonly maxAttempts: number
  readonly otpLifetimeMs: number
  readonly now: ClockReading
  /** When the clocks have moved apart by more than this since the request, the code has expired. */
  readonly maxDriftMs: number
  readonly attemptId: string
  readonly otpHash: Uint8Array
  /** Null where day limits are disabled. */
  readonly dayCap: DayAttemptCap | null
  /** After this many wrong codes in an hour, over all cards, no code is evaluated; null where that is disabled. */
  readonly maxWrongCodesPerHour: number | null
  /** Null where the policy knows no stop. */
  readonly stop: WrongCodeStop | null
  /** The card's next version when the code is right. */
  readonly verifiedCard: CardRow
  readonly auditIfRight: AuditEntry
  readonly auditIfWrong: AuditEntry
}

export interface CheckCode {
  readonly attempt: CodeAttempt
  /** Stored when the code is right. */
  readonly events?: readonly EventRow[]
  readonly idempotency?: CodeIdempotency | null
}

/** `claim` is stored when the attempt was counted, `outcome` when the code is right. */
export interface CodeIdempotency extends IdempotencyExtras {
  readonly outcomeIfWrong: IdempotencyOutcome | null
  readonly outcomeIfLastWrong: IdempotencyOutcome | null
  /** When a stop begins with the wrong code. */
  readonly outcomeIfStopped: IdempotencyOutcome | null
}

interface RightCodeExtras {
  readonly events: readonly EventRow[]
  readonly outcome: IdempotencyOutcome | null
}

export type CodeAttemptResult =
  | { readonly outcome: 'verified' | 'attemptsUsedUp' | 'expired' | 'notRequested' | 'conflict' }
  | { readonly outcome: 'dayAttemptsUsedUp' | 'wrongCodeLimit' | 'stopped'; readonly retryAfterMs: number }
  /** `isLast`: no attempt is left. `stopped`: for whom a stop begins. */
  | { readonly outcome: 'incorrect'; readonly isLast: boolean; readonly stopped: readonly StopSubject[] }
  /** The attempt is counted; whether the code is correct is decided by the network. */
  | { readonly outcome: 'networkDecides'; readonly isLast: boolean; readonly stopped: readonly StopSubject[] }

export interface CompleteVerification extends CardKey, TransactionExtras {
  readonly attemptId: string
  /** When the attempt was counted as a wrong code; that count is taken back. Null where wrong codes are not counted. */
  readonly decrementWrongCodesAt: number | null
  /** The wrong codes in a row that the right code ends; null where the policy knows no stop. */
  readonly stop: WrongCodeStop | null
  readonly verifiedCard: CardRow
  readonly audit: AuditEntry
}

// One row per card, so there is at most one valid code: a new attempt replaces the old one. Within one boot the wait is measured by the monotonic
// clock; between two machines only the wall clock is comparable. A request that is later
// than now by more than an hour was made by a clock that was ahead: nobody waits for that time.
const upsertAttempt = sql`
  ${verificationsTable.insertSql}
  on conflict (bucket, card_id) do update ${verificationsTable.replaceSql}
  where verifications.merchant_id = excluded.merchant_id and
    case when verifications.asked_boot = excluded.asked_boot then excluded.asked_mono - verifications.asked_mono
         when verifications.asked_wall > excluded.asked_wall + 3600000 then verifications.asked_wall - excluded.asked_wall
         else excluded.asked_wall - verifications.asked_wall end >= cast($${verificationsTable.names.length + 1} as bigint)
  returning attempt_id`

const selectAttempt = sql`select ${verificationsTable.columns} from verifications where bucket = $1 and card_id = $2 and merchant_id = $3`

export interface BeginVerification extends TransactionExtras {
  readonly attempt: VerificationRow
  readonly limits: SendLimits
  readonly audit: AuditEntry
}

/** Checks the resend wait and the send limits, then replaces the old attempt by the new one. The code of the old attempt becomes invalid. */
export function* beginVerification({
  events,
  idempotency,
  ...input
}: BeginVerification): Transaction<BeginVerificationResult | DuplicateRequest> {
  return yield* withExtras({ events, idempotency }, begin(input), ({ ok: begun }) => begun)
}

function* begin({ attempt, limits, audit }: BeginVerification): Transaction<BeginVerificationResult> {
  const inserted = yield* runOne(upsertAttempt, [...toValues(attempt), limits.resendWaitMs])
  if (inserted === null) return { ok: false, reason: 'tooSoon', retryAfterMs: yield* remainingWait(attempt, limits.resendWaitMs) }

  const pan = limits.pan === null ? null : yield* claimSend(limits.pan)
  if (pan?.claimed === false) {
    return yield* rollback({ ok: false, reason: 'panLimit', retryAfterMs: pan.retryAfterMs })
  }
  yield* writeAudit(audit)
  return { ok: true }
}

/** Milliseconds until another code may be requested. */
function* remainingWait(attempt: VerificationRow, waitMs: number): Transaction<number> {
  const stored = yield* runOne(selectAttempt, keyValues(attempt))
  if (stored === null) return 1
  const { requestedAt } = fromRow(stored)
  const now = attempt.requestedAt
  const elapsedMs = requestedAt.bootId === now.bootId ? now.monotonicMs - requestedAt.monotonicMs : now.wallMs - requestedAt.wallMs
  return Math.min(Math.max(Math.ceil(waitMs - elapsedMs), 1), waitMs)
}

const updateSentRow = sql`
  update verifications set sent_by = $5, phone_mask = $6, network_ref = $7, outcome = $8, mac = $9
  where bucket = $1 and card_id = $2 and merchant_id = $3 and attempt_id = $4 and mac = $10
  returning attempt_id`

export interface RecordSendResult extends TransactionExtras {
  readonly result: SendResult
  readonly audit: AuditEntry
}

/** Stores what the network or the SMS gateway replied to the send request. Returns false when another attempt has replaced this one. */
export function* recordSendResult({ result, audit, ...extras }: RecordSendResult): Transaction<boolean | DuplicateRequest> {
  return yield* withExtras(extras, updateSent({ result, audit }), (isUpdated) => isUpdated)
}

function* updateSent({ result, audit }: RecordSendResult): Transaction<boolean> {
  const { attemptId, sentBy, phoneMask, networkRef, outcome, mac, previousMac } = result
  const values = [attemptId, sentBy, phoneMask, networkRef, outcome, mac, previousMac]
  if ((yield* runOne(updateSentRow, [...keyValues(result), ...values])) === null) return false
  yield* writeAudit(audit)
  return true
}

export function findVerification(key: CardKey): Read<VerificationRow | null> {
  return { statement: selectAttempt, values: keyValues(key), map: ([row]) => (row === undefined ? null : fromRow(row)) }
}

// The only place where an attempt is counted; a code whose attempt is not counted is not evaluated. By both clocks the code must be younger than its
// lifetime, the clocks must not have drifted apart since the request, and the wall clock must not be before the request. Across boots only the wall
// clock is comparable.
const countAttempt = sql`
  update verifications set tries = tries + 1
  where bucket = $1 and card_id = $2 and merchant_id = $3 and attempt_id = $4 and mac = $9 and open = 1 and tries < cast($10 as bigint)
    and cast($5 as bigint) - asked_wall < cast($11 as bigint) and cast($5 as bigint) - asked_wall >= 0 - cast($8 as bigint)
    and (asked_boot <> $7 or (cast($6 as bigint) - asked_mono < cast($11 as bigint)
      and abs((cast($5 as bigint) - asked_wall) - (cast($6 as bigint) - asked_mono)) <= cast($8 as bigint)))
  returning case when tries < cast($10 as bigint) then 0 else 1 end as is_last`

/**
 * Counts an attempt. Where the service sent the code, it compares the code's hash, and verifies the card when the code is right. The idempotency claim
 * is stored only when the attempt was counted (`verified`, `wrong`, `networkDecides`).
 */
export function* checkCode({ attempt, events = [], idempotency = null }: CheckCode): Transaction<CodeAttemptResult | DuplicateRequest> {
  // Whether the code is right decides which outcome and events are stored beside the claim.
  const claim = idempotency === null ? null : { claim: idempotency.claim, outcome: null }
  const ifRight = { events, outcome: idempotency?.outcome ?? null }
  const check = evaluateCode(attempt, ifRight, idempotency)
  return yield* withExtras({ idempotency: claim }, check, ({ outcome }) => countedOutcomes.has(outcome))
}

function* evaluateCode(
  attempt: CodeAttempt,
  ifRight: RightCodeExtras,
  idempotency: CodeIdempotency | null,
): Transaction<CodeAttemptResult> {
  const { now, dayCap, maxWrongCodesPerHour, stored, maxAttempts, otpLifetimeMs } = attempt
  const clocks = [Math.trunc(now.wallMs), Math.trunc(now.monotonicMs), now.bootId, attempt.maxDriftMs]
  const counted = yield* runOne(countAttempt, [...keyValues(attempt), attempt.attemptId, ...clocks, stored.mac, maxAttempts, otpLifetimeMs])
  if (counted === null) return { outcome: yield* reasonNotCounted(attempt) }

  if (dayCap !== null && !(yield* countDayAttempt(dayCap))) {
    // The code is not evaluated, so the attempt is not counted for it either.
    return yield* rollback({ outcome: 'dayAttemptsUsedUp', retryAfterMs: Math.max(1, dayCap.endsAt - now.wallMs) })
  }
  const breaker = { bucket: attempt.bucket, at: now.wallMs }
  const retryAfterMs = maxWrongCodesPerHour === null ? 0 : yield* findWrongCodeWait(breaker, maxWrongCodesPerHour)
  if (retryAfterMs > 0) return yield* rollback({ outcome: 'wrongCodeLimit', retryAfterMs })
  const claim = attempt.stop === null ? noStop : yield* claimWrongCode(attempt.stop, now.wallMs)
  if (claim.kind === 'stopped') return { outcome: 'stopped', retryAfterMs: claim.retryAfterMs }
  const stopped = claim.begun
  const isLast = stopped.length > 0 || readInteger(counted, 'is_last') === 1
  if (stored.sentBy === 'network') {
    // Counted as wrong until the network replies that it is right, so that concurrent attempts cannot exceed the limit.
    if (maxWrongCodesPerHour !== null) yield* addWrongCodes(breaker, 1)
    return { outcome: 'networkDecides', isLast, stopped }
  }
  if (sameHash(stored.otpHash, attempt.otpHash)) return yield* verify(attempt, ifRight)
  if (maxWrongCodesPerHour !== null) yield* addWrongCodes(breaker, 1)
  yield* writeAudit(attempt.auditIfWrong)
  if (idempotency !== null) yield* storeIdempotencyOutcome(outcomeOfWrongCode(idempotency, isLast, stopped.length > 0))
  return { outcome: 'incorrect', isLast, stopped }
}

function outcomeOfWrongCode(idempotency: CodeIdempotency, isLast: boolean, isStopped: boolean): IdempotencyOutcome | null {
  if (isStopped) return idempotency.outcomeIfStopped
  return isLast ? idempotency.outcomeIfLastWrong : idempotency.outcomeIfWrong
}

const noStop = { kind: 'counted', begun: [] } as const

/** A code that the network did not find right. */
export interface RecordNetworkReply {
  readonly audit: AuditEntry
  readonly stop: WrongCodeStop | null
  /** `stop`: the network says that no attempt is left. `uncount`: it did not evaluate the code. `keep`: the code stays counted as wrong. */
  readonly effect: 'stop' | 'uncount' | 'keep'
  readonly at: number
}

/** Stores what the network replied to a code that was counted as wrong before the network was called. */
export function* recordNetworkReply({ audit, stop, effect, at }: RecordNetworkReply): Transaction<void> {
  yield* writeAudit(audit)
  if (stop === null || effect === 'keep') return
  yield* effect === 'stop' ? beginStop(stop, at) : uncountWrongCode(stop)
}

/** Closes the attempt and verifies the card after the network found the code correct. False when another change of either came first. */
export function* completeVerification({ events, idempotency, ...input }: CompleteVerification): Transaction<boolean | DuplicateRequest> {
  return yield* withExtras({ events, idempotency }, complete(input), (isVerified) => isVerified)
}

function* complete(input: CompleteVerification): Transaction<boolean> {
  const isVerified = (yield* verify({ ...input, auditIfRight: input.audit }, { events: [], outcome: null })).outcome === 'verified'
  if (isVerified && input.decrementWrongCodesAt !== null)
    yield* addWrongCodes({ bucket: input.bucket, at: input.decrementWrongCodesAt }, -1)
  return isVerified
}

const closeOpen = sql`
  update verifications set open = 0 where bucket = $1 and card_id = $2 and merchant_id = $3 and attempt_id = $4 and open = 1
  returning attempt_id`

type RightCode = Pick<CodeAttempt, keyof CardKey | 'attemptId' | 'verifiedCard' | 'auditIfRight' | 'stop'>

function* verify(attempt: RightCode, { events, outcome }: RightCodeExtras): Transaction<CodeAttemptResult> {
  const closed = yield* runOne(closeOpen, [...keyValues(attempt), attempt.attemptId])
  if (closed === null || !(yield* replaceCard(attempt.verifiedCard))) {
    return yield* rollback({ outcome: 'conflict' })
  }
  if (attempt.stop !== null) yield* forgetWrongCodes(attempt.stop)
  yield* writeAudit(attempt.auditIfRight)
  yield* storeIdempotencyOutcome(outcome)
  yield* insertEvents(events)
  return { outcome: 'verified' }
}

/**
 * Why an attempt was not counted. On PostgreSQL this may read a newer state than the update saw, which does no harm: the count only grows, a closed
 * verification stays closed, and a replaced one does not return.
 */
function* reasonNotCounted(attempt: CodeAttempt): Transaction<'notRequested' | 'conflict' | 'attemptsUsedUp' | 'expired'> {
  const row = yield* runOne(selectAttempt, keyValues(attempt))
  if (row === null) return 'notRequested'
  const stored = fromRow(row)
  if (stored.attemptId !== attempt.attemptId || !sameHash(stored.mac, attempt.stored.mac)) return 'conflict'
  if (!stored.open && (yield* hasCardChanged(attempt.verifiedCard))) return 'conflict'
  if (stored.attempts >= attempt.maxAttempts) return 'attemptsUsedUp'
  // Expired, or the clocks disagree: closed for good, so that setting a clock back does not make the code valid again.
  yield* execute(closeOpen, [...keyValues(attempt), attempt.attemptId])
  return 'expired'
}

const selectVersion = sql`select version from cards where bucket = $1 and card_id = $2 and ${isOwnedBy('$3')}`

/** Whether the card has changed since it was read. A second right code finds a verified card. */
function* hasCardChanged(verified: CardRow): Transaction<boolean> {
  const row = yield* runOne(selectVersion, keyValues(verified))
  return row === null || readInteger(row, 'version') !== verified.version - 1
}

function sameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

function keyValues(key: CardKey): Value[] {
  return [key.bucket, key.cardId, key.merchantId]
}

/** The outcomes of an attempt that was counted. */
const countedOutcomes: ReadonlySet<CodeAttemptResult['outcome']> = new Set(['verified', 'incorrect', 'networkDecides'])

/** What the MAC of a verification covers, for rows with a clock reading. */
export const verificationMac = {
  name: verificationsTable.name,
  macFields: (row: VerificationRow) => verificationsTable.macFields(toColumns(row)),
}

function toValues(row: VerificationRow): Value[] {
  return verificationsTable.toValues(toColumns(row))
}

function toColumns({ requestedAt, ...row }: VerificationRow): RowOf<typeof verificationsTable> {
  const { wallMs, monotonicMs, bootId } = requestedAt
  return { ...row, requestedWall: Math.trunc(wallMs), requestedMono: Math.trunc(monotonicMs), requestedBoot: bootId }
}

function fromRow(stored: Row): VerificationRow {
  const { requestedWall, requestedMono, requestedBoot, ...row } = verificationsTable.fromRow(stored)
  return { ...row, requestedAt: { wallMs: requestedWall, monotonicMs: requestedMono, bootId: requestedBoot } }
}
