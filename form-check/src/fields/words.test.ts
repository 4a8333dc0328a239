import assert from 'node:assert/strict'
import { test } from 'node:test'

import { formatOf } from './formats.ts'
import {
  asksForCardNumber,
  asksForCardPicture,
  findCardMentions,
  normalizeText,
  readIdentifier,
  showsStoredCard,
  type CardMention,
} from './words.ts'

test('a card number is recognized in English, Russian and both alphabets of Uzbek, and other cards are told apart', () => {
  const cases: [text: string, kind: CardMention['kind'], isNumber: boolean][] = [
    ['Card number', 'plain', true],
    ['Number of your debit card', 'payment', true],
    ['Card details', 'plain', true],
    ['Номер банковской карты', 'payment', true],
    ['Реквизиты карты', 'plain', true],
    ['Karta raqami', 'plain', true],
    ['Картангиз рақами', 'plain', true],
    ['Plastik kartangizning raqami', 'payment', true],
    ['Uzcard yoki Humo kartangiz raqami', 'payment', true],
    ['Which card do you pay with? Type its number', 'plain', true],
    ['Қайси картадан тўлайсиз? Рақамини ёзинг', 'plain', true],
    ['CC#', 'payment', true],
    ['C\u200bard n\u00adumber', 'plain', true],
    ['Саrd numbеr', 'plain', true],
    ['C a r d number', 'plain', true],
    ['Номер карты клиента', 'plain', true],
    ['Карточка клиента', 'other', false],
    ['Gift card number', 'other', true],
    ['Номер карты постоянного покупателя', 'other', true],
    ['Kutubxona kartasi raqami', 'other', true],
    ['Student card number', 'other', true],
    ['Number of cards', 'plain', false],
    ['Last four digits of the card', 'plain', false],
    ['Первые шесть цифр карты', 'plain', false],
    ['Kartaning oxirgi 4 raqami', 'plain', false],
    ['Search cards', 'plain', false],
    ['Card name or set number', 'plain', false],
  ]
  for (const [text, kind, isNumber] of cases) assert.deepEqual(findCardMentions(normalizeText(text))[0], { kind, isNumber }, text)
  for (const text of ['Discard number', 'Scorecard', 'Картина номер 5']) assert.deepEqual(findCardMentions(normalizeText(text)), [], text)
})

test('a text that asks for a card number is told from one that warns', () => {
  for (const text of ['Please write your card number in the message.', 'Karta raqamini yuboring', 'Отправьте номер карты'])
    assert.ok(asksForCardNumber(normalizeText(text)), text)
  for (const text of [
    'Never send your card number.',
    'Karta raqamini hech kimga yubormang',
    'Не сообщайте номер карты',
    'Send your gift card number',
  ])
    assert.ok(!asksForCardNumber(normalizeText(text)), text)
})

test('placeholders and masks show what is typed', () => {
  const cases: [sample: string, format: ReturnType<typeof formatOf>][] = [
    ['0000 0000 0000 0000', 'pan'],
    ['____-____-____-____', 'pan'],
    ['8600 •••• •••• ••••', 'pan'],
    ['XXXX XXXX XXXX XXXX', 'pan_letters'],
    ['[0-9 ]{13,19}', 'pan'],
    ['MM / YY', 'expiry'],
    ['ОО/ЙЙ', 'expiry'],
    ['мм/гг', 'expiry'],
    ['12/28', 'expiry'],
    ['2020 8000 0000 0000 0001', null],
    ['8998 0000 0000 0000 000', null],
    ['UZ00 0000 0000 0000 0000', null],
    ['DD/MM/YYYY', null],
    ['+998 90 000 00 00', null],
  ]
  for (const [sample, format] of cases) assert.equal(formatOf(sample), format, sample)
})

test('a stored card is told from a phone, in any of the ways in which its number is hidden', () => {
  for (const text of [
    'Visa •••• 4242',
    'Humo **** 6311',
    'Карта *1234, Uzcard **1234',
    'Mastercard ending in 4444',
    'Card 8600 •••• •••• 6311',
  ])
    assert.ok(showsStoredCard(normalizeText(text)), text)
  for (const text of ['+998 90 •••• 4567', 'Visa 2027', 'Card •••• •••• •••• ••••']) assert.ok(!showsStoredCard(normalizeText(text)), text)
})

test('a picture of a card is told from one of a document or a receipt', () => {
  for (const text of ['Photo of your bank card', 'Фото карты с двух сторон', 'Kartangizning old va orqa tomoni rasmi'])
    assert.ok(asksForCardPicture(normalizeText(text)), text)
  for (const text of ['Photo of your ID card, both sides', 'Фото чека об оплате картой', 'Picture for the card', 'Talaba kartasi rasmi'])
    assert.ok(!asksForCardPicture(normalizeText(text)), text)
})

test('identifiers are read word by word', () => {
  for (const name of ['cardNumber', 'cc-num', 'karta_raqami', 'pan']) assert.equal(readIdentifier(name), 'number', name)
  for (const name of ['gift-card-number', 'company', 'cardholder', 'discard_no', 'panel', 'expand'])
    assert.equal(readIdentifier(name), null, name)
})
