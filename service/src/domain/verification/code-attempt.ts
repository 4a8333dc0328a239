import { RpcError } from '@tessera/contract/errors'
import { KeyDestroyedError } from '@tessera/vault/keyring'
import { hashOtp } from '@tessera/vault/keyed-hashes'

import type { RequestContext } from '../request-context.ts'
import type { LiveCard } from '../cards/find.ts'
import { cardChangeEntry, cardActionEntry } from '../cards/change-records.ts'
import type { AuditEntry } from '../../store/audit.ts'
import type { CardRow } from '../../store/cards.ts'
import type { CodeAttempt, VerificationRow } from '../../store/verifications.ts'

import type { WrongCodeStop } from '../../store/verification-stops.ts'

import type { VerificationDependencies } from './dependencies.ts'
import type { VerificationPolicy } from './policy.ts'

/** A code that the cardholder entered, and the attempt it is checked against. */
export interface CodeAttemptContext {
  readonly deps: VerificationDependencies
  readonly live: LiveCard
  readonly policy: VerificationPolicy
  readonly attempt: VerificationRow
  readonly code: string
  readonly ctx: RequestContext<CardRow>
}

/** The input of the transaction that counts and checks the code. `verified` is the card if the code is right. */
export async function buildCodeAttempt(
  { deps, policy, attempt, code, ctx }: CodeAttemptContext,
  verified: CardRow,
  { cap, stop }: { readonly cap: CodeAttempt['dayCap']; readonly stop: WrongCodeStop | null },
): Promise<CodeAttempt> {
  const { bucket, merchantId, cardId, attemptId } = attempt
  const now = deps.clock.moment()
  return {
    bucket,
    merchantId,
    cardId,
    attemptId,
    stored: attempt,
    maxAttempts: policy.maxAttempts,
    otpLifetimeMs: policy.lifetimeMs,
    now,
    maxDriftMs: maxClockDriftMs,
    dayCap: cap,
    verifiedCard: verified,
    maxWrongCodesPerHour: deps.settings.limits ? deps.settings.maxWrongCodesPerHour : null,
    stop,
    otpHash: await hashOf(deps, attempt, code),
    auditIfRight: cardVerifiedEntry(ctx, verified, now.wallMs),
    auditIfWrong: cardActionEntry(ctx, cardId, { at: now.wallMs, action: 'code.attempted', outcome: 'wrong_code' }),
  }
}

export function cardVerifiedEntry(ctx: RequestContext, verified: CardRow, at: number): CodeAttempt['auditIfRight'] {
  return cardChangeEntry(ctx, verified, { at, action: 'card.verified', outcome: 'correct_code' })
}

/** The audit entry of a code that the network rejected or did not check. The store counted the attempt before the network was called. */
export function codeFailedEntry({ live, ctx }: CodeAttemptContext, outcome: string, at: number): AuditEntry {
  return cardActionEntry(ctx, live.card.cardId, { at, action: 'code.attempted', outcome })
}

async function hashOf({ keyring }: VerificationDependencies, attempt: VerificationRow, code: string): Promise<Uint8Array> {
  const { attemptId, cardId, merchantId, otpKeyId } = attempt
  try {
    return hashOtp(await keyring.byId(otpKeyId), { attemptId, cardId, merchantId, code })
  } catch (err) {
    // Keys of codes live for days and codes for minutes, so this code expired long ago.
    if (err instanceof KeyDestroyedError) throw new RpcError('codeExpired')
    throw err
  }
}

/** If wall clock and monotonic clock differ by more than this since the request, one of them was changed. */
const maxClockDriftMs = 5000
