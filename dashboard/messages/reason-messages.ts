import { errors } from '@tessera/contract/errors'
import type { Language } from '@tessera/contract/profile'

/** Texts by the reason of an error, for everything that failed: `card_blocked` is "The card is blocked." */
export interface ReasonMessages {
  /** Every error of the API, and the reasons that only a receipt can have. */
  readonly all: Readonly<Record<string, string>>
  /** Why an SMS code was not sent or not accepted, where that needs another text than a failed payment. */
  readonly code: Readonly<Record<string, string>>
}

const codeEn = {
  sms_not_connected: 'The bank has no phone for this card.',
  card_expired: 'The card has expired.',
  card_blocked: 'The card is blocked.',
  system_error: 'The card network had an error.',
  network_timeout: 'The card network did not respond.',
  sms_not_sent: 'The SMS gateway rejected the message.',
  send_limit_phone: 'Too many codes to this phone.',
  gateway_unavailable: 'The SMS gateway did not respond.',
  send_refused: 'The limit of SMS of the service was reached.',
  wrong_code: 'A different code was entered.',
}

const codeRu: typeof codeEn = {
  sms_not_connected: 'У банка нет телефона для этой карты.',
  card_expired: 'Срок карты истёк.',
  card_blocked: 'Карта заблокирована.',
  system_error: 'Ошибка платёжной сети.',
  network_timeout: 'Платёжная сеть не ответила.',
  sms_not_sent: 'SMS-шлюз отклонил сообщение.',
  send_limit_phone: 'Слишком много кодов на этот телефон.',
  gateway_unavailable: 'SMS-шлюз не отвечал.',
  send_refused: 'Достигнут лимит SMS сервиса.',
  wrong_code: 'Введён другой код.',
}

const codeUz: typeof codeEn = {
  sms_not_connected: 'Bankda bu karta uchun telefon yoʻq.',
  card_expired: 'Karta muddati tugagan.',
  card_blocked: 'Karta bloklangan.',
  system_error: 'Toʻlov tarmogʻida xato.',
  network_timeout: 'Toʻlov tarmogʻi javob bermadi.',
  sms_not_sent: 'SMS shlyuzi xabarni rad etdi.',
  send_limit_phone: 'Bu telefonga juda koʻp kod.',
  gateway_unavailable: 'SMS shlyuzi javob bermadi.',
  send_refused: 'Xizmatning SMS limiti tugadi.',
  wrong_code: 'Boshqa kod kiritildi.',
}

/** Reasons of network operations that no response of the API has. */
const receiptEn = {
  reversed: 'The debit was reversed.',
  statement: 'Recorded by an operator from the statement of the network.',
}

const receiptRu: typeof receiptEn = {
  reversed: 'Списание отменено.',
  statement: 'Внесено оператором по выписке сети.',
}

const receiptUz: typeof receiptEn = {
  reversed: 'Yechish bekor qilindi.',
  statement: 'Operator tarmoq koʻchirmasi boʻyicha kiritgan.',
}

export const reasonMessages: Readonly<Record<Language, ReasonMessages>> = {
  en: { all: { ...errorTexts('en'), ...receiptEn }, code: codeEn },
  ru: { all: { ...errorTexts('ru'), ...receiptRu }, code: codeRu },
  uz: { all: { ...errorTexts('uz'), ...receiptUz }, code: codeUz },
}

/** The text of the error table. Of two errors with one reason the later one counts, which is that of a payment. */
function errorTexts(language: Language): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.values(errors).map(({ reason, text }) => [reason, text[language]]))
}
