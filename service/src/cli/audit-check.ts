import { emptyChain, linkEntry } from '../audit/chain.ts'
import type { AuditHead, CardRow, ListedCard, Store } from '../store/store.ts'

/** What a verification of the audit found. */
export interface AuditReport {
  readonly chains: number
  readonly entries: number
  /** Sealed cards that were held against the audit. */
  readonly cards: number
  readonly findings: readonly AuditFinding[]
  /** Whether it stopped at the most findings that it lists. */
  readonly more: boolean
}

export type AuditFinding =
  | { readonly kind: 'chain'; readonly chain: string; readonly seq: number; readonly what: string }
  | { readonly kind: 'card'; readonly cardId: string; readonly merchantId: string; readonly what: string }

export interface AuditCheckParts {
  readonly store: Store
  /** Whether a row's MAC is the one that we would make. */
  readonly isTrue: (card: CardRow) => Promise<boolean> | boolean
}

/**
 * Recomputes every chain from its first entry, then holds each sealed card against the newest version that the audit tells of it.
 * A chain whose end was cut off whole is not found by this; that takes checkpoints outside the database.
 */
export async function checkAudit({ store, isTrue }: AuditCheckParts): Promise<AuditReport> {
  const findings: AuditFinding[] = []
  let entries = 0
  let cards = 0
  const heads = await store.listAuditChains()
  for (const head of heads) entries += await checkChain(store, head, findings)
  for (const { keyId } of await store.countCardsByKey()) {
    for await (const card of cardsUnder(store, keyId)) {
      cards += 1
      const what = 'brokenAt' in card ? `its row cannot be read: column ${card.brokenAt} is broken` : await faultOf(store, isTrue, card)
      if (what !== null) findings.push({ kind: 'card', cardId: card.cardId, merchantId: card.merchantId, what })
      if (findings.length >= FINDINGS_MAX) return { chains: heads.length, entries, cards, findings, more: true }
    }
  }
  return { chains: heads.length, entries, cards, findings, more: false }
}

/** Checks up to the head that stood when it began, so that a chain that grows meanwhile has an end. */
async function checkChain(store: Store, head: AuditHead, findings: AuditFinding[]): Promise<number> {
  let at = emptyChain(head.chain)
  while (at.seq < head.seq) {
    const page = await store.readAudit(head.chain, at.seq, PAGE_LENGTH)
    if (page.length === 0) break
    for (const entry of page) {
      if (entry.seq !== at.seq + 1) {
        findings.push({ kind: 'chain', chain: head.chain, seq: at.seq + 1, what: 'this entry is missing' })
        return at.seq
      }
      const linked = linkEntry(at, entry)
      if (!isSame(linked.hash, entry.hash)) {
        findings.push({
          kind: 'chain',
          chain: head.chain,
          seq: entry.seq,
          what: 'this entry, or the one before it, is not as it was written',
        })
        return at.seq
      }
      at = linked
    }
  }
  return at.seq
}

async function* cardsUnder(store: Store, keyId: string): AsyncGenerator<ListedCard> {
  let after = ''
  for (;;) {
    const page = await store.listCardsUnderKey(keyId, after, PAGE_LENGTH)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_LENGTH) return
    after = last.cardId
  }
}

/** What is wrong with a card's row, or null. A row that changes while it is looked at is looked at again. */
async function faultOf(store: Store, isTrue: (card: CardRow) => Promise<boolean> | boolean, listed: CardRow): Promise<string | null> {
  let card: CardRow | null = listed
  let fault: string | null = null
  for (let look = 0; look < LOOKS_MAX && card !== null; look++) {
    fault = await faultNow(store, isTrue, card)
    if (fault === null) return null
    card = await store.findCard(card)
  }
  return card === null ? null : fault
}

async function faultNow(store: Store, isTrue: (card: CardRow) => Promise<boolean> | boolean, card: CardRow): Promise<string | null> {
  if (!(await isTrue(card))) return 'its row was changed: the row MAC is wrong'
  const newest = await store.newestAuditOf(card.cardId)
  if (newest === null) return 'the audit knows nothing of it'
  if (newest.version > card.version)
    return `an older row was put back: version ${String(card.version)}, the audit tells of ${String(newest.version)}`
  if (newest.version < card.version) return `the audit does not tell of its version ${String(card.version)}`
  return isSame(newest.mac, card.mac) ? null : 'its row MAC is not the one in the audit'
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

const PAGE_LENGTH = 500
const FINDINGS_MAX = 100
const LOOKS_MAX = 3
