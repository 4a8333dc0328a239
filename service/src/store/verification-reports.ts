import { type AuditReader, auditedSubjectsMax, type CodeEvent, listCardsWithSentCode } from './audit.ts'
import { type FunnelQuery, listFunnelCards, listMaskedPans, maskedPansMax } from './cards.ts'
import type { MerchantKey } from './transaction.ts'

// Cards are stored by bucket, and audit entries by chain: no statement joins them, because a distributed database has them on different nodes.

/** The verification funnel: how many of the newest cards of a time range got a code, were verified and were paid with. */
export interface Funnel {
  readonly created: number
  readonly sent: number
  readonly verified: number
  readonly paid: number
}

/** An audit entry about an SMS code, with the card's number. */
export interface CardCodeEvent extends CodeEvent {
  /** Null when the card's row is deleted. */
  readonly maskedPan: string | null
}

/** Counts the verification funnel of the newest cards of a time range, `cardsMax` at most. */
export async function findFunnel(store: AuditReader, query: FunnelQuery): Promise<Funnel> {
  const cards = await store.read(listFunnelCards(query))
  const verified = cards.filter(({ isVerified }) => isVerified).length
  // A verified card got its code.
  const unverified = cards.filter(({ isVerified }) => !isVerified).map(({ cardId }) => cardId)
  let sent = verified
  for (const page of pagesOf(unverified, auditedSubjectsMax)) sent += (await store.read(listCardsWithSentCode(page))).length
  return { created: cards.length, sent, verified, paid: cards.filter(({ isPaid }) => isPaid).length }
}

/** The events with the masked numbers of their cards, in the same order. */
export async function withMaskedPans(store: AuditReader, owner: MerchantKey, events: readonly CodeEvent[]): Promise<CardCodeEvent[]> {
  const masks = new Map<string, string>()
  for (const page of pagesOf([...new Set(events.map(({ cardId }) => cardId))], maskedPansMax))
    for (const [cardId, maskedPan] of await store.read(listMaskedPans(owner, page))) masks.set(cardId, maskedPan)
  return events.map((event) => ({ ...event, maskedPan: masks.get(event.cardId) ?? null }))
}

function pagesOf(ids: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size))
}
