import { maxAmountTiyin } from '@tessera/contract/receipt'

/** What a text that somebody types into the search of the dashboard may be, each null where it cannot be. Of an order number and a customer any text can be one. */
export interface SearchTerms {
  /** Any id of this service: 24 hex digits. */
  readonly id: string | null
  /** The first digits of an id, which are its time: fewer than 24. */
  readonly idStart: string | null
  /** An order number or a customer. */
  readonly text: string
  /** The last four digits of a card, with up to eight first ones: what `readSearch` takes. */
  readonly cardMask: string | null
  /** Digits of an international number. */
  readonly phone: string | null
  readonly amountTiyin: number | null
}

/** Reads what was typed. A number of four digits is the end of a card, an amount and an order number, all at once. */
export function readSearchTerms(typed: string): SearchTerms {
  const text = typed.trim()
  const isId = /^[0-9a-f]{24}$/i.test(text)
  return {
    id: isId ? text.toLowerCase() : null,
    idStart: isId ? null : readIdStart(text),
    text,
    cardMask: readCardMask(text),
    phone: readPhone(text),
    amountTiyin: readSom(text),
  }
}

/** The list writes `6b02a1f3…` for the id of a receipt. Digits alone are more often something else: they need six, others four. */
function readIdStart(text: string): string | null {
  const start = text.replace(/(?:…|\.\.\.)$/, '').toLowerCase()
  return /^(?:[0-9]{6,23}|(?=[0-9]*[a-f])[0-9a-f]{4,23})$/.test(start) ? start : null
}

/** `6311`, `*6311`, `860006******6311`, `8600 06** **** 6311`. */
function readCardMask(text: string): string | null {
  const [, first = '', lastFour] = /^(?:(\d{0,8})[*•.…x]+)?(\d{4})$/i.exec(text.replace(/[\s-]/g, '')) ?? []
  if (lastFour === undefined) return null
  return first.length < 4 ? lastFour : `${first}${lastFour}`
}

/** `+998 90 123-45-67`, and without the code of the country. */
function readPhone(text: string): string | null {
  if (!/^\+?[\d\s()-]+$/.test(text)) return null
  const digits = text.replace(/\D/g, '')
  if (/^998\d{9}$/.test(digits)) return digits
  return /^\d{9}$/.test(digits) && !text.startsWith('+') ? `998${digits}` : null
}

/** An amount in so'm, with tiyin behind a dot or a comma: `54 174,50`, `54174.5 so'm`. */
function readSom(text: string): number | null {
  const plain = text.replace(/(?:so[ʻ'’‘`]?m|сум|сўм|uzs)\.?$/iu, '').replace(/\s/g, '')
  const [, som, fraction = ''] = /^(\d{1,12})(?:[.,](\d{1,2}))?$/.exec(plain) ?? []
  if (som === undefined) return null
  const tiyin = Number(som) * 100 + Number(fraction.padEnd(2, '0'))
  return tiyin > 0 && tiyin <= maxAmountTiyin ? tiyin : null
}
