import type { Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'
import { issueId } from '@tessera/vault/id'
import { hashOtp } from '@tessera/vault/otp'

import type { Asker } from '../cards/asker.ts'
import type { FoundCard } from '../cards/find.ts'
import { noteDeed } from '../cards/note.ts'
import { askNetwork, refusalError, type NetworkRefusal } from '../cards/refusal.ts'
import { expectFirst, rideIntention } from '../idempotency/rider.ts'
import type { StartedVerification } from '../network/network.ts'
import type { CardRow, SendClaim, VerificationRow } from '../store/store.ts'

import { capsOf, sendClaim } from './limits.ts'
import type { VerificationParts } from './parts.ts'
import { sendCode } from './send.ts'
import { settle, type Sending, type SentCode } from './sending.ts'

/** Stores the attempt, asks the network, stores what it said, sends our code where that is ours to do, stores how that went. */
export async function askForCode(parts: VerificationParts, token: string, asker: Asker<SentCode>, language: Language): Promise<SentCode> {
  const found = await parts.cards.find(token, asker)
  const code = parts.codes.draw()
  const attempt = await newAttempt(parts, found.card, code)
  const started = await beginAndStart(parts, found, attempt, asker)
  const sending: Sending = { parts, token, card: found.card, attempt, asker }
  const waitMs = parts.figures.resendWaitMs
  if (started.kind === 'weSend') return sendCode(sending, { phone: started.phone, code, language })
  if (started.kind === 'networkSent') {
    const { phoneMask, networkRef } = started
    const sent = { phoneMask, waitMs }
    await settle(sending, { sentBy: 'network', phoneMask, networkRef, outcome: 'sent' }, sent)
    return sent
  }
  // Whatever code there may be, after a timeout for one, is the network's: it will be asked whether one is right.
  const refusal = refusalError(started, asker.requestId)
  await settle(sending, { sentBy: 'network', outcome: started.reason }, refusal)
  throw refusal
}

async function newAttempt({ keyring, figures, clock }: VerificationParts, card: CardRow, code: string): Promise<VerificationRow> {
  const { bucket, merchantId, cardId } = card
  const dek = await keyring.active('otp')
  const askedAt = clock.moment()
  const attemptId = issueId(bucket, askedAt.wallMs)
  const otpHash = hashOtp(dek, { attemptId, cardId, merchantId, code })
  return {
    ...{ bucket, merchantId, cardId, attemptId, otpHash, otpKeyId: dek.keyId },
    ...{ sentBy: null, phoneMask: null, networkRef: null, outcome: 'asked', open: true },
    ...{ tries: 0, triesMax: figures.triesMax, lifeMs: figures.codeLifeMs, askedAt },
  }
}

type Started = StartedVerification | NetworkRefusal

/** The PAN is open for this long only: for its limit and for the network. */
async function beginAndStart(parts: VerificationParts, found: FoundCard, attempt: VerificationRow, asker: Asker): Promise<Started> {
  const { cards, keyring, network, clock, figures } = parts
  const { merchantId, expiry } = found.card
  return cards.usePan(found, async (pan) => {
    const caps = capsOf(parts, merchantId)
    const at = attempt.askedAt.wallMs
    const claim = caps === null ? null : await sendClaim(keyring, pan, { at, windows: figures.sendWindows, caps })
    await begin(parts, attempt, claim, asker)
    const patience = { clock, timeoutMs: figures.networkTimeoutMs, signal: asker.signal }
    return askNetwork(patience, (signal) => network.startVerification({ merchantId, pan, expiry, requestId: attempt.attemptId }, signal))
  })
}

/** From here on the attempt is durable, and the code before it is dead. */
async function begin({ store, figures }: VerificationParts, attempt: VerificationRow, pan: SendClaim | null, asker: Asker): Promise<void> {
  const note = noteDeed(asker, attempt.cardId, { at: attempt.askedAt.wallMs, action: 'code.asked', outcome: 'asked' })
  const riders = rideIntention(asker.rider, attempt.attemptId)
  const begun = expectFirst(await store.beginVerification(attempt, { resendWaitMs: figures.resendWaitMs, pan }, note, riders))
  if (begun.begun) return
  const { because, retryAfterMs } = begun
  throw new RpcError(because === 'tooSoon' ? 'resendTooSoon' : 'sendLimitCard', { retryAfterMs })
}
