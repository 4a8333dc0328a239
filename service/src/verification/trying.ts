import { RpcError } from '@tessera/contract/errors'
import { KeyDestroyed } from '@tessera/vault/keyring'
import { hashOtp } from '@tessera/vault/otp'

import type { Asker } from '../cards/asker.ts'
import type { FoundCard } from '../cards/find.ts'
import { noteChange, noteDeed } from '../cards/note.ts'
import type { AuditNote, CardRow, CodeTry, VerificationRow } from '../store/store.ts'

import type { VerificationParts } from './parts.ts'

/** One code, as somebody typed it, against one attempt. */
export interface Trying {
  readonly parts: VerificationParts
  readonly found: FoundCard
  readonly attempt: VerificationRow
  readonly code: string
  readonly asker: Asker<CardRow>
}

/** The try as the store decides it; `verified` is the card as it will be if the code is right. */
export async function codeTry({ parts, attempt, code, asker }: Trying, verified: CardRow, cap: CodeTry['dayCap']): Promise<CodeTry> {
  const { bucket, merchantId, cardId, attemptId } = attempt
  const now = parts.clock.moment()
  return {
    ...{ bucket, merchantId, cardId, attemptId, now, driftMaxMs, dayCap: cap, verifiedCard: verified },
    ...{ wrongCodesHourMax: parts.figures.limits ? parts.figures.wrongCodesHourMax : null },
    otpHash: await hashOf(parts, attempt, code),
    auditRight: noteVerified(asker, verified, now.wallMs),
    auditWrong: noteDeed(asker, cardId, { at: now.wallMs, action: 'code.tried', outcome: 'wrong_code' }),
  }
}

export function noteVerified(asker: Asker, verified: CardRow, at: number): CodeTry['auditRight'] {
  return noteChange(asker, verified, { at, action: 'card.verified', outcome: 'right_code' })
}

/** Of a code that the network did not find right, or did not look at: the store, which counted the try, does not know that yet. */
export function noteFailed({ found, asker }: Trying, outcome: string, at: number): AuditNote {
  return noteDeed(asker, found.card.cardId, { at, action: 'code.tried', outcome })
}

/** A text that is no code hashes to what no code hashes to, and so counts as a wrong one. */
async function hashOf({ keyring }: VerificationParts, attempt: VerificationRow, code: string): Promise<Uint8Array> {
  const { attemptId, cardId, merchantId, otpKeyId } = attempt
  try {
    return hashOtp(await keyring.byId(otpKeyId), { attemptId, cardId, merchantId, code })
  } catch (err) {
    // Keys of codes live for days, codes for minutes.
    if (err instanceof KeyDestroyed) throw new RpcError('codeTooOld')
    throw err
  }
}

/** One clock that runs this far from the other since the code was asked for has jumped. */
const driftMaxMs = 5000
