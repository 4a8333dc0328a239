import type { Language } from './profile.ts'

/**
 * The words of the trade in three languages, as banks and payment companies of Uzbekistan write them. The card form, SMS, dashboard and documentation use
 * them: `tools/terms.test.ts` reads all of their texts. Printed to docs/reference/terms.md.
 */
export interface Term extends Readonly<Record<Language, string>> {
  /** What it means, in English. */
  readonly about: string
  /** How each language shows that a text speaks of it: what is found in the English one has to be found in the others. */
  readonly found: Readonly<Record<Language, RegExp>>
  /** What is not written for it. */
  readonly never?: Readonly<Partial<Record<Language, readonly RegExp[]>>>
}

// prettier-ignore
export const terms: readonly Term[] = [
  { en: 'token', ru: 'токен', uz: 'token', about: 'what a merchant stores instead of the card',
    found: { en: /\btokens?\b/i, ru: /токен|token/i, uz: /token/i } },
  { en: 'card number', ru: 'номер карты', uz: 'karta raqami', about: 'the full number; never shown',
    found: { en: /\bcard numbers?\b/i, ru: /номер/i, uz: /raqam/i } },
  { en: 'masked number', ru: 'маска номера', uz: 'maskalangan raqam', about: 'the first six and the last four digits',
    found: { en: /\bmasked\b|\bthe mask\b/i, ru: /маск/i, uz: /maska/i }, never: { uz: [/niqob/i] } },
  { en: 'expiry date', ru: 'срок действия', uz: 'amal qilish muddati', about: 'month and year of the card',
    found: { en: /\bexpiry\b/i, ru: /срок|expire/i, uz: /muddat/i } },
  { en: 'cardholder', ru: 'держатель карты', uz: 'karta egasi', about: 'the person to whom the card was issued',
    found: { en: /\bcardholders?\b/i, ru: /держател|владел/i, uz: /ega/i } },
  { en: 'customer', ru: 'клиент', uz: 'mijoz', about: 'who buys from the merchant',
    found: { en: /\bcustomers?\b/i, ru: /клиент/i, uz: /mijoz/i }, never: { ru: [/плательщик/i, /покупател/i], uz: [/xaridor/i] } },
  { en: 'merchant', ru: 'мерчант', uz: 'merchant', about: 'the shop that takes payments',
    found: { en: /^merchants?$/i, ru: /мерчант/i, uz: /merchant/i }, never: { ru: [/торговц/i], uz: [/savdogar/i] } },
  { en: 'payment', ru: 'платёж', uz: 'toʻlov', about: 'money from a card to a merchant',
    found: { en: /^payments?$/i, ru: /плат[её]ж|оплат|плат/i, uz: /toʻlo|toʻla/i } },
  { en: 'hold', ru: 'холд', uz: 'xold', about: 'money that is reserved on the card and not debited yet; an authorized payment is захолдирован',
    found: { en: /(?<!capture )\b(the|a|whole) hold\b|^hold$|\bhold (expired|released)|\bholds\b|\bheld\b/i, ru: /холд/i, uz: /xold/i },
    never: { en: [/\bfrozen (amount|money|funds)/i, /pre-?authori[sz]/i], ru: [/удерж/i, /заморо/i], uz: [/\bband (qil|pul)/i, /\bbandni\b/i, /muzlat/i] } },
  { en: 'capture', ru: 'подтвердить списание', uz: 'yechishni tasdiqlash', about: 'debit what is held',
    found: { en: /\bcaptur/i, ru: /спис/i, uz: /yech/i }, never: { ru: [/захват/i] } },
  { en: 'void', ru: 'отменить холд', uz: 'xoldni bekor qilish', about: 'release what is held, without a debit',
    found: { en: /\bvoid/i, ru: /холд/i, uz: /xold/i } },
  { en: 'debit', ru: 'списание', uz: 'yechish', about: 'take money from the card',
    found: { en: /\bdebit/i, ru: /спис|спиш/i, uz: /yech/i } },
  { en: 'refund', ru: 'возврат', uz: 'qaytarish', about: 'give back money that was debited',
    found: { en: /\brefund/i, ru: /возвра|верн/i, uz: /qayt/i }, never: { en: [/chargeback/i], ru: [/рефанд/i] } },
  { en: 'reversal', ru: 'отмена операции', uz: 'amalni bekor qilish', about: 'undo a debit whose outcome was unknown',
    found: { en: /\brevers(al|ed)\b(?! into)/i, ru: /отмен|необратим/i, uz: /bekor|qaytar/i }, never: { ru: [/реверсал/i], uz: [/reversal/i] } },
  { en: 'declined', ru: 'отклонён', uz: 'rad etildi', about: 'the bank or the network refused the payment',
    found: { en: /\bdeclin/i, ru: /отклон|отказ/i, uz: /rad (et|qil)/i } },
  { en: 'card network', ru: 'платёжная сеть', uz: 'toʻlov tarmogʻi', about: 'Uzcard, Humo and others, which debit cards',
    found: { en: /\bcard network\b/i, ru: /сет/i, uz: /tarmo[qgʻ]/i }, never: { ru: [/карточн\S* сет/i], uz: [/karta tarmogʻ/i] } },
  { en: 'statement', ru: 'выписка', uz: 'koʻchirma', about: "the network's own record of payments",
    found: { en: /\bstatement of the network\b/i, ru: /выписк/i, uz: /koʻchirma/i } },
  { en: 'consent', ru: 'согласие', uz: 'rozilik', about: 'what the cardholder agrees to when a card is saved',
    found: { en: /\bconsents?\b/i, ru: /соглас/i, uz: /rozi/i } },
  { en: 'SMS code', ru: 'код из SMS', uz: 'SMS kod', about: 'the one-time password of a verification',
    found: { en: /\bSMS\b/, ru: /SMS/i, uz: /SMS/i }, never: { ru: [/СМС/i], uz: [/\bСМС/i] } },
  { en: 'webhook', ru: 'вебхук', uz: 'vebxuk', about: "a message of the service to the merchant's server",
    found: { en: /\bwebhooks?\b(?!-id)/i, ru: /вебхук/i, uz: /vebxuk/i }, never: { ru: [/веб-хук/i] } },
  { en: 'secret', ru: 'секретный ключ', uz: 'maxfiy kalit', about: 'what signs webhooks; a value that nobody else may know',
    found: { en: /\bsecrets?\b/i, ru: /секрет|ключ/i, uz: /maxfiy|kalit/i }, never: { uz: [/(?<!\p{L})sir(i|ni|ga|dan|lar\p{L}*|li)?(?!\p{L})/iu] } },
]

/** What no text for people contains, whatever it is about. */
export const forbiddenInTexts: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: 'a backtick', pattern: /`/ },
  { name: 'a path of the repository', pattern: /(?<![\w/.])(docs|service|contract|dashboard|tools|examples)\/[\w-]+[/.]|\.md\b/ },
]
