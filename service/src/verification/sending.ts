import type { Asker } from '../cards/asker.ts'
import { noteDeed } from '../cards/note.ts'
import { RpcError } from '@tessera/contract/errors'
import { expectFirst, rideOutcome } from '../idempotency/rider.ts'
import type { CardRow, SettledAttempt, VerificationRow } from '../store/store.ts'

import type { VerificationParts } from './parts.ts'

export interface SentCode {
  readonly phoneMask: string
  /** Until another code may be asked for. */
  readonly waitMs: number
}

/** One attempt on its way to a phone. */
export interface Sending {
  readonly parts: VerificationParts
  readonly token: string
  readonly card: CardRow
  readonly attempt: VerificationRow
  readonly asker: Asker<SentCode>
}

/** What the network or the gateway said of an attempt. */
export type Said = Partial<SettledAttempt> & Pick<SettledAttempt, 'sentBy' | 'outcome'>

/** Keeps how it went, and with it what the caller is answered. Where the attempt is no longer the card's, its code is dead: the card was removed, or another code asked for. */
export async function settle({ parts, token, attempt, asker }: Sending, said: Said, answer: SentCode | RpcError): Promise<void> {
  const { bucket, merchantId, cardId, attemptId } = attempt
  const settled = { bucket, merchantId, cardId, attemptId, phoneMask: null, networkRef: null, ...said }
  const note = noteDeed(asker, cardId, { at: parts.clock.now(), action: 'code.settled', outcome: said.outcome })
  if (expectFirst(await parts.store.settleVerification(settled, note, rideOutcome(asker.rider, answer)))) return
  await parts.cards.find(token, asker)
  throw new RpcError('resendTooSoon', { retryAfterMs: parts.figures.resendWaitMs })
}
