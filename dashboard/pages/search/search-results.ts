import type { Result } from '@tessera/contract/operations'

export type SearchResult = Result<'dashboard.search.find'>

/** Where a result leads: a path under /dashboard, and what may not stand in it. */
export interface SearchTarget {
  readonly path: string
  readonly hidden?: Readonly<Record<string, string>>
}

export type SearchOption =
  | ({ readonly kind: 'receipt' } & SearchResult['receipts'][number])
  | { readonly kind: 'card'; readonly card: SearchResult['cards'][number] }
  | { readonly kind: 'customer'; readonly customer: string }
  | { readonly kind: 'request'; readonly request: SearchResult['requests'][number] }
  | { readonly kind: 'message'; readonly message: SearchResult['messages'][number] }
  | { readonly kind: 'page'; readonly name: string; readonly label: string }

/** Options of one kind, under a heading. */
export interface SearchGroup {
  readonly kind: SearchOption['kind']
  readonly options: readonly SearchOption[]
}

/** The results by kind, in the order in which they are shown. Kinds without any are left out. */
export function groupHits(hits: SearchResult, pages: readonly PageName[]): SearchGroup[] {
  const groups: SearchGroup[] = [
    { kind: 'receipt', options: hits.receipts.map((hit) => ({ kind: 'receipt', ...hit })) },
    { kind: 'customer', options: hits.customers.map((customer) => ({ kind: 'customer', customer })) },
    { kind: 'card', options: hits.cards.map((card) => ({ kind: 'card', card })) },
    { kind: 'message', options: hits.messages.map((message) => ({ kind: 'message', message })) },
    { kind: 'request', options: hits.requests.map((request) => ({ kind: 'request', request })) },
    { kind: 'page', options: pages.map((page) => ({ kind: 'page', ...page })) },
  ]
  return groups.filter(({ options }) => options.length > 0)
}

export const noHits: SearchResult = { receipts: [], cards: [], customers: [], requests: [], messages: [], unreadEntries: 0 }

/** A page of the navigation, with its name in the user's language. */
export interface PageName {
  readonly name: string
  readonly label: string
}

/** The pages with a word that begins as the text does. */
export function pagesNamed(pages: readonly PageName[], text: string): PageName[] {
  const wanted = text.trim().toLowerCase()
  return wanted === '' ? [] : pages.filter(({ label }) => ` ${label.toLowerCase()}`.includes(` ${wanted}`))
}

export function targetOf(option: SearchOption): SearchTarget {
  switch (option.kind) {
    case 'receipt':
      return { path: `receipts/${option.receipt.receiptId}` }
    case 'card':
      return { path: `cards/${option.card.cardId}` }
    case 'customer':
      return { path: 'customers', hidden: { customer: option.customer } }
    case 'request':
      return { path: `requests/${option.request.requestId}` }
    case 'message': {
      const { purpose, subject, messageId } = option.message
      return { path: purpose === 'code' ? `verification/${subject}/${messageId}` : `receipts/${subject}` }
    }
    case 'page':
      return { path: option.name }
  }
}

/**
 * Whether a text is sent while it is still being typed. Digits alone that may be the beginning of a card number are not, beyond the six that may be shown of
 * one: Enter sends them. The beginning of a phone is no beginning of a card number.
 */
export function isSentWhileTyped(text: string): boolean {
  const plain = text.replace(/[\s\u00a0.-]/g, '')
  return !/^\d{7,}$/.test(plain.normalize('NFKC')) || plain.startsWith('998')
}
