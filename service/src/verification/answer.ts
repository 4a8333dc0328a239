import { RpcError } from '@tessera/contract/errors'

import type { Asker } from '../cards/asker.ts'
import { cardEvent, telling } from '../cards/events.ts'
import { askNetwork, refusalError, type NetworkRefusal } from '../cards/refusal.ts'
import { expectFirst, rideBoth, rideOutcome, type Rider } from '../idempotency/rider.ts'
import type { FinishedVerification } from '../network/network.ts'
import type { CardRow, CodeRiders, TriedCode } from '../store/store.ts'

import { capsOf, dayCap } from './limits.ts'
import { codeTry, noteFailed, noteVerified, type Trying } from './trying.ts'
import type { VerificationParts } from './parts.ts'

/**
 * Evaluates a code and verifies the card if it is right. The store counts the try and decides in one unit; only where the network sent
 * the code is it asked, after the try is counted. A code that is not six digits is a wrong try like any other.
 */
export async function answerCode(parts: VerificationParts, token: string, code: string, asker: Asker<CardRow>): Promise<CardRow> {
  for (let turn = 0; turn < turnsMax; turn++) {
    const found = await parts.cards.find(token, asker)
    if (found.card.verified) return found.card
    const attempt = await parts.store.findVerification(found.card)
    if (attempt === null) throw new RpcError('codeNotRequested')
    const verified = await tryOnce({ parts, found, attempt, code: code.trim(), asker }, token)
    if (verified !== null) return verified
  }
  throw new RpcError('overloaded', { retryAfterMs: 1000 })
}

/** The verified card; null when the card or the attempt changed meanwhile and nothing was evaluated. */
async function tryOnce(trying: Trying, token: string): Promise<CardRow | null> {
  const { parts, found, asker } = trying
  const verified = await parts.cards.asVerified(found.card, parts.clock.now())
  const tried = await evaluate(trying, verified)
  if ('outcome' in tried) return decide(trying, tried, verified, token)
  if (tried.kind === 'right') return finish(trying, verified, token)
  const isRefusal = tried.kind === 'refused'
  await parts.store.appendAudit(noteFailed(trying, isRefusal ? tried.reason : saidWords[tried.kind], parts.clock.now()))
  throw isRefusal ? refusalError(tried, asker.requestId) : new RpcError(saidNames[tried.kind])
}

type Tried = Exclude<TriedCode, { outcome: 'askNetwork' }>
type Evaluated = Tried | FinishedVerification | NetworkRefusal

/** Asks whether the card may be verified at all, then the store, then, if the code is the network's, the network. */
async function evaluate(trying: Trying, verified: CardRow): Promise<Evaluated> {
  const { parts, found, attempt, code, asker } = trying
  const { network, keyring, store, clock, figures } = parts
  const { merchantId, expiry } = found.card
  const patience = { clock, timeoutMs: figures.networkTimeoutMs, signal: asker.signal }
  return parts.cards.usePan(found, async (pan) => {
    const refusal = await askNetwork(patience, (signal) => network.admitVerification({ merchantId, pan, expiry }, signal))
    if (refusal !== null) return refusal
    const caps = capsOf(parts, merchantId)
    const cap = caps === null ? null : await dayCap(keyring, pan, { triesMax: figures.dayTriesMax, caps })
    const tried = expectFirst(await store.tryCode(await codeTry(trying, verified, cap), rideTry(asker.rider, verified, clock.now())))
    if (tried.outcome !== 'askNetwork') return tried
    if (!isSixDigits(code)) return { kind: 'wrong' }
    const answer = { merchantId, pan, expiry, requestId: attempt.attemptId, networkRef: attempt.networkRef, code }
    return askNetwork(patience, (signal) => network.finishVerification(answer, signal))
  })
}

async function decide({ parts, attempt, asker }: Trying, tried: Tried, verified: CardRow, token: string): Promise<CardRow | null> {
  if (tried.outcome === 'verified') {
    if (attempt.phoneMask !== null)
      parts.smsGuard.converted(attempt.phoneMask, parts.clock.now() - attempt.askedAt.wallMs, verified.merchantId)
    return verified
  }
  if (tried.outcome === 'moved') return null
  if (tried.outcome === 'tooOld' || tried.outcome === 'notRequested') {
    // The same code, submitted twice at once: the first one verified the card and closed the attempt.
    const { card } = await parts.cards.find(token, asker)
    if (card.verified) return card
  }
  if (tried.outcome === 'wrongCodesUsedUp') throw new RpcError('wrongCodeLimit', { retryAfterMs: tried.retryAfterMs })
  if (tried.outcome === 'dayTriesUsedUp') throw new RpcError('cardDayTriesUsedUp', { retryAfterMs: tried.retryAfterMs })
  throw new RpcError(triedNames[tried.outcome])
}

/** The network found the code right; only the card's own row can still have moved, by resealing or by being removed. */
async function finish({ parts, attempt, asker }: Trying, verified: CardRow, token: string): Promise<CardRow> {
  const { store, cards, clock } = parts
  const { bucket, merchantId, cardId, attemptId } = attempt
  let next = verified
  for (let turn = 0; turn < turnsMax; turn++) {
    const now = clock.now()
    const audit = noteVerified(asker, next, now)
    const uncountAt = parts.figures.limits ? now : null
    const finish = { bucket, merchantId, cardId, attemptId, uncountAt, verifiedCard: next, audit }
    const riders = telling(rideOutcome(asker.rider, next), cardEvent('card.verified', next, now))
    if (expectFirst(await store.finishVerification(finish, riders))) return next
    const { card } = await cards.find(token, asker)
    if (card.verified) return card
    if ((await store.findVerification(card))?.attemptId !== attemptId) throw new RpcError('codeTooOld')
    next = await cards.asVerified(card, clock.now())
  }
  throw new RpcError('overloaded', { retryAfterMs: 1000 })
}

/** Where the code is ours, it is all one unit; where it is the network's, the claim alone is kept before the network is asked. */
function rideTry(rider: Rider<CardRow> | null, verified: CardRow, now: number): CodeRiders {
  const riders = telling(rideBoth(rider, verified.cardId, verified), cardEvent('card.verified', verified, now))
  return { ...riders, answerWrong: rider === null ? null : rider.answer(new RpcError('wrongCode')) }
}

function isSixDigits(code: string): boolean {
  return /^[0-9]{6}$/.test(code)
}

const triedNames = { wrong: 'wrongCode', triesUsedUp: 'triesUsedUp', tooOld: 'codeTooOld', notRequested: 'codeNotRequested' } as const
const saidNames = { wrong: 'wrongCode', tooOld: 'codeTooOld', triesUsedUp: 'triesUsedUp', unknown: 'codeNotRequested' } as const
/** The same as the audit spells them: as the `reason` of the error. */
const saidWords = {
  wrong: 'wrong_code',
  tooOld: 'code_too_old',
  triesUsedUp: 'tries_used_up',
  unknown: 'code_not_requested',
} as const
/** A card changes by resealing, removal and verification: who meets that more often meets something unforeseen. */
const turnsMax = 5
