/**
 * How far a call came, as the caller knows it: not sent, sent without a reply so far or refused, acknowledged, or ended without a known outcome (no reply,
 * or one that says so).
 */
export type CallProgress = 'none' | 'sent' | 'acknowledged' | 'unknown'

/** The calls for an existing card; `code` is cards.get_verify_code. */
export type CardCall = 'code' | 'verify' | 'remove'

/** What one caller sent and received for a card. Its creation was acknowledged; without that, no caller would know its token. */
export interface CardRecord extends Record<CardCall, CallProgress> {
  readonly token: string
}

/** The state in which a card is found afterwards. */
export type ObservedCard =
  | { readonly kind: 'card'; readonly verified: boolean }
  | { readonly kind: 'removed' }
  /** Neither a card nor a removed one: the reason of the refusal. */
  | { readonly kind: 'absent'; readonly reason: string }

/** Every acknowledgement of a run, to be compared with the service afterwards. */
export interface Ledger {
  /** Throws when the token was issued before: two cards with one token. */
  addCard(token: string): CardRecord
  readonly cards: readonly CardRecord[]
  /** Counts of calls of unknown outcome, and of what was found out about them later. */
  readonly outcomes: UnknownOutcomes
  /** Acknowledged creations, codes, verifications and removals. */
  countAcknowledged(): number
}

/** Calls of unknown outcome. */
export interface UnknownOutcomes {
  /** Creations of cards. */
  creations: number
  /** Cards in the database that no caller knows: the creations that had happened. */
  createdUnseen: number
  /** Calls for a known card that were looked into later, and how many of them had happened. */
  calls: number
  happened: number
}

export function makeLedger(): Ledger {
  const cards: CardRecord[] = []
  const tokens = new Set<string>()
  return {
    cards,
    outcomes: { creations: 0, createdUnseen: 0, calls: 0, happened: 0 },
    addCard(token) {
      if (tokens.has(token)) throw new Error('a token was issued twice')
      tokens.add(token)
      const card: CardRecord = { token, code: 'none', verify: 'none', remove: 'none' }
      cards.push(card)
      return card
    },
    countAcknowledged: () => cards.reduce((sum, card) => sum + 1 + cardCalls.filter((call) => card[call] === 'acknowledged').length, 0),
  }
}

/** What is wrong with the state of a card, or null. A call without a reply may have happened or not. */
export function judgeCard(card: CardRecord, seen: ObservedCard): string | null {
  if (seen.kind === 'removed') return card.remove === 'none' ? 'is removed without a request' : null
  if (card.remove === 'acknowledged') return `its removal was acknowledged, and it is ${seen.kind === 'card' ? 'still there' : 'absent'}`
  if (seen.kind === 'absent') return `was acknowledged, and the reply is ${seen.reason}`
  if (card.verify === 'acknowledged' && !seen.verified) return 'its verification was acknowledged, and it is not verified'
  if (card.verify === 'none' && seen.verified) return 'is verified without a code'
  return null
}

export const cardCalls: readonly CardCall[] = ['code', 'verify', 'remove']
