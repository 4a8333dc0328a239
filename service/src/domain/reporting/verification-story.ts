import { RpcError } from '@tessera/contract/errors'
import { bucketOfId } from '@tessera/vault/id'

import { type AuditRow, listAuditOfSubject } from '../../store/audit.ts'
import { findCardOrBroken } from '../../store/cards.ts'
import { listSmsSendsOfSubject, type SmsSendRow } from '../../store/sms-sends.ts'
import type { Store } from '../../store/store.ts'
import type { VerificationPolicy } from '../verification/policy.ts'

import type { MerchantCardsKey } from './cards.ts'
import { codeOutcomeOf } from './code-outcome.ts'
import { toReasonCode } from './reason-code.ts'

/** A step in the life of one code. */
export interface CodeStoryStep {
  readonly at: number
  readonly what:
    | 'requested'
    | 'gateway_called'
    | 'accepted'
    | 'rejected'
    | 'no_reply'
    | 'sent_by_network'
    | 'not_sent'
    | 'delivered'
    | 'undelivered'
    | 'wrong'
    | 'refused'
    | 'verified'
    | 'replaced'
    | 'expired'
  readonly cause: string | null
  readonly gateway: string | null
  readonly requestId: string | null
}

/** What became of one code, from its request to its end. */
export interface CodeStory {
  readonly cardId: string
  /** Null when the card's row is gone. */
  readonly maskedPan: string | null
  readonly requestId: string
  readonly requestedAt: number
  readonly messageId: string | null
  readonly phoneMask: string | null
  readonly delivery:
    'delivered' | 'undelivered' | 'unconfirmed' | 'no_reply' | 'not_sent' | 'sent_by_network' | 'not_stored' | 'in_progress' | 'interrupted'
  /** Why it was not sent. */
  readonly cause: string | null
  readonly ending: 'waiting' | 'verified' | 'expired' | 'replaced' | 'not_sent'
  /** Oldest first. */
  readonly steps: readonly CodeStoryStep[]
  readonly lifetimeMs: number
  readonly resendWaitMs: number
  readonly smsDays: number
}

export interface CodeStoryDependencies {
  readonly store: Pick<Store, 'read'>
  readonly now: () => number
  /** The policy in force for a card. */
  readonly policyOf: (card: { readonly maskedPan: string } | null) => Pick<VerificationPolicy, 'lifetimeMs' | 'resendWaitMs'>
  /** For so many days messages are stored. */
  readonly smsDays: number
}

/**
 * Finds the story of the code that `id` belongs to: a request for it or a check of it, or its message. Throws `cardNotFound` for a card of nobody or
 * of another merchant, `requestNotFound` for an id of no code.
 */
export type FindCodeStory = (of: MerchantCardsKey, code: { readonly cardId: string; readonly id: string }) => Promise<CodeStory>

export function makeFindCodeStory({ store, now, policyOf, smsDays }: CodeStoryDependencies): FindCodeStory {
  return async ({ bucket, merchantId }, { cardId, id }) => {
    if (bucketOfId(cardId) !== bucket) throw new RpcError('cardNotFound', { data: 'cardId' })
    const [card, entries] = await Promise.all([
      store.read(findCardOrBroken({ bucket, merchantId, cardId })),
      store.read(listAuditOfSubject(merchantId, cardId, entriesMax)),
    ])
    if (card === null && entries.length === 0) throw new RpcError('cardNotFound', { data: 'cardId' })
    const found = findCode(entries, id)
    if (found === null) throw new RpcError('requestNotFound', { data: 'id' })
    const messages = await store.read(listSmsSendsOfSubject({ subject: cardId, merchantId, at: found.request.at }))
    const shown = card === null || 'brokenAt' in card ? null : { maskedPan: card.maskedPan }
    const { lifetimeMs, resendWaitMs } = policyOf(shown)
    const story = toStory(found, messages, { lifetimeMs, smsDays, now: now() })
    return { ...story, cardId, maskedPan: shown?.maskedPan ?? null, lifetimeMs, resendWaitMs, smsDays }
  }
}

/** The entries about one code. */
interface CodeEntries {
  readonly request: AuditRow
  /** After it, until the next code was requested. */
  readonly later: readonly AuditRow[]
  /** Null: no other code was requested. */
  readonly replacedBy: AuditRow | null
}

/** Codes of a card follow each other: what happened between two requests is about the first of them. */
function findCode(entries: readonly AuditRow[], id: string): CodeEntries | null {
  const all = entries.filter(({ action }) => storyActions.has(action)).sort(inOrder)
  const requests = all.filter(({ action }) => action === 'code.requested')
  const anchor = all.findLast(({ requestId }) => requestId === id)
  // The id of a message begins with the second in which its code was requested.
  const request =
    anchor === undefined
      ? requests.findLast(({ at }) => Math.floor(at / 1000) === Number.parseInt(id.slice(0, 8), 16))
      : requests.findLast((each) => inOrder(each, anchor) <= 0)
  if (request === undefined) return null
  const replacedBy = requests.find((each) => inOrder(each, request) > 0) ?? null
  const later = all.filter((each) => inOrder(each, request) > 0 && (replacedBy === null || inOrder(each, replacedBy) < 0))
  return { request, later, replacedBy }
}

/** Entries of one card may be in several chains; within a millisecond a request comes before what it led to. */
function inOrder(one: AuditRow, other: AuditRow): number {
  return one.at - other.at || rankOf(one) - rankOf(other)
}

function rankOf({ action }: AuditRow): number {
  return ['code.requested', 'code.dispatched', 'code.attempted', 'card.verified'].indexOf(action)
}

interface StoryMoment {
  readonly lifetimeMs: number
  readonly smsDays: number
  readonly now: number
}

type StoryOfEntries = Omit<CodeStory, 'cardId' | 'maskedPan' | 'lifetimeMs' | 'resendWaitMs' | 'smsDays'>

function toStory(
  { request, later, replacedBy }: CodeEntries,
  messages: readonly SmsSendRow[],
  { lifetimeMs, smsDays, now }: StoryMoment,
): StoryOfEntries {
  const dispatched = later.find(({ action }) => action === 'code.dispatched') ?? null
  const verified = later.find(({ action }) => action === 'card.verified') ?? null
  const delivery = deliveryOf(messages, dispatched, { age: now - request.at, smsDays })
  const cause = delivery === 'not_sent' ? (dispatched === null ? 'sms_not_sent' : toReasonCode(dispatched.outcome)) : null
  const expiredAt = request.at + lifetimeMs
  const isReplaced = replacedBy !== null && replacedBy.at < expiredAt
  const ending =
    verified !== null
      ? 'verified'
      : delivery === 'not_sent'
        ? 'not_sent'
        : isReplaced
          ? 'replaced'
          : now >= expiredAt
            ? 'expired'
            : 'waiting'
  const steps = [
    step(request.at, 'requested', { requestId: request.requestId }),
    ...messages.flatMap(stepsOfMessage),
    ...(dispatched === null ? [] : stepOfDispatch(dispatched, messages, delivery)),
    ...later.filter(({ action }) => action !== 'code.dispatched').map(stepOfAttempt),
    ...(ending === 'replaced' && replacedBy !== null ? [step(replacedBy.at, 'replaced', { requestId: replacedBy.requestId })] : []),
    ...(ending === 'expired' ? [step(expiredAt, 'expired')] : []),
  ]
  return {
    requestId: request.requestId,
    requestedAt: request.at,
    messageId: messages[0]?.messageId ?? null,
    phoneMask: messages[0]?.phoneMask ?? null,
    delivery,
    cause,
    ending,
    steps: steps.sort((one, other) => one.at - other.at),
  }
}

/** Where a message was tried through several gateways, the best that happened to it. */
function deliveryOf(
  messages: readonly SmsSendRow[],
  dispatched: AuditRow | null,
  { age, smsDays }: { readonly age: number; readonly smsDays: number },
): CodeStory['delivery'] {
  const isSent = dispatched !== null && codeOutcomeOf({ action: 'code.dispatched', outcome: dispatched.outcome }) === 'sent'
  if (messages.some(({ deliveredAt }) => deliveredAt !== null)) return 'delivered'
  const accepted = messages.filter(({ outcome }) => outcome === 'accepted')
  if (accepted.length > 0) return accepted.every(({ failedAt }) => failedAt !== null) ? 'undelivered' : 'unconfirmed'
  const isUnanswered = messages.some(({ outcome }) => outcome === 'unknown' || outcome === 'requested')
  if (isUnanswered && dispatched !== null) return 'no_reply'
  if (dispatched === null) return age < interruptedAfterMs ? 'in_progress' : messages.length > 0 ? 'no_reply' : 'interrupted'
  if (!isSent) return 'not_sent'
  return age > smsDays * dayMs ? 'not_stored' : 'sent_by_network'
}

function stepsOfMessage({ gateway, requestedAt, outcome, acceptedAt, deliveredAt, failedAt }: SmsSendRow): CodeStoryStep[] {
  return [
    step(requestedAt, 'gateway_called', { gateway }),
    ...(acceptedAt === null ? [] : [step(acceptedAt, 'accepted', { gateway })]),
    ...(outcome === 'unknown' ? [step(requestedAt, 'no_reply', { gateway })] : []),
    ...(deliveredAt === null ? [] : [step(deliveredAt, 'delivered', { gateway })]),
    ...(failedAt === null ? [] : [step(failedAt, outcome === 'rejected' ? 'rejected' : 'undelivered', { gateway })]),
  ]
}

/** What the messages do not say: that the network sent the code, or that there was no message. */
function stepOfDispatch(
  { at, outcome, requestId }: AuditRow,
  messages: readonly SmsSendRow[],
  delivery: CodeStory['delivery'],
): CodeStoryStep[] {
  if (delivery === 'sent_by_network') return [step(at, 'sent_by_network', { requestId })]
  return delivery === 'not_sent' && messages.length === 0 ? [step(at, 'not_sent', { requestId, cause: toReasonCode(outcome) })] : []
}

function stepOfAttempt({ at, action, outcome, requestId }: AuditRow): CodeStoryStep {
  if (action === 'card.verified') return step(at, 'verified', { requestId })
  const what = codeOutcomeOf({ action: 'code.attempted', outcome }) === 'wrong' ? 'wrong' : 'refused'
  return step(at, what, { requestId, cause: toReasonCode(outcome) })
}

function step(at: number, what: CodeStoryStep['what'], more: Partial<Omit<CodeStoryStep, 'at' | 'what'>> = {}): CodeStoryStep {
  return { at, what, cause: null, gateway: null, requestId: null, ...more }
}

const storyActions: ReadonlySet<string> = new Set(['code.requested', 'code.dispatched', 'code.attempted', 'card.verified'])
/** The newest entries of a card: weeks of them, since its codes are limited by the day. */
const entriesMax = 500
/** Longer than any call waits for the network and the gateway. */
const interruptedAfterMs = 3 * 60_000
const dayMs = 86_400_000
