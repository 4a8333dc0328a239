import type { Language } from '@tessera/contract/envelope'

export interface ReceiptText {
  readonly shop: string
  readonly amountTiyin: number
  /** What the payer knows the receipt by: the value of its main field. */
  readonly number: string
  readonly isPaid: boolean
  readonly providerName: string
}

/** The message about a receipt, as the payer reads it. */
export function receiptText(language: Language, text: ReceiptText): string {
  return templates[language]({ ...text, shop: cut(text.shop), number: cut(text.number) })
}

/** `500000` tiyin → `5000.00`. By whole numbers: a float would round. */
export function sumOf(amountTiyin: number): string {
  return `${Math.floor(amountTiyin / tiyinInSum)}.${String(amountTiyin % tiyinInSum).padStart(2, '0')}`
}

/** Uzbek without U+02BB: one letter outside GSM 03.38 would halve what fits into one message. */
const templates = {
  en: ({ providerName, shop, amountTiyin, number, isPaid }) =>
    `${providerName}: ${shop}, receipt ${number}, ${sumOf(amountTiyin)} UZS, ${isPaid ? 'paid' : 'to be paid'}.`,
  ru: ({ providerName, shop, amountTiyin, number, isPaid }) =>
    `${providerName}: ${shop}, чек ${number}, ${sumOf(amountTiyin)} сум, ${isPaid ? 'оплачен' : 'к оплате'}.`,
  uz: ({ providerName, shop, amountTiyin, number, isPaid }) =>
    `${providerName}: ${shop}, chek ${number}, ${sumOf(amountTiyin)} so'm, ${isPaid ? "to'landi" : "to'lash kerak"}.`,
} as const satisfies Record<Language, (text: ReceiptText) => string>

/** One line of bounded length, whatever a merchant calls itself. */
function cut(text: string): string {
  return Array.from(text.replaceAll(/\p{Cc}+/gu, ' '))
    .slice(0, lettersMax)
    .join('')
}

const tiyinInSum = 100
const lettersMax = 40
