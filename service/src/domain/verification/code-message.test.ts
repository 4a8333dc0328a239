import assert from 'node:assert/strict'
import { test } from 'node:test'

import { countSmsSegments, isGsmText } from '@tessera/contract/sms-text'

import { formatReceiptSms } from '../payments/send.ts'
import { maxSmsSegments } from '../sms/fit-text.ts'

import { formatCodeMessage } from './code-message.ts'

const text = {
  code: '012345',
  maskedPan: '860006******6311',
  lifetimeSeconds: 180,
  providerName: 'Tessera',
  formHost: null,
  shopHost: null,
}
const languages = ['en', 'ru', 'uz'] as const

/** Names as providers and shops bear them: long, Cyrillic, Uzbek with U+02BB, with signs of the extension table, and of control characters. */
const names = [
  'Tessera',
  'A',
  `${'Long Trading House of Tashkent '.repeat(10)}Ltd`,
  '«Тошкент Савдо Уйи» масъулияти чекланган жамияти '.repeat(3),
  'Oʻzbekiston toʻlov tizimlari aksiyadorlik jamiyati '.repeat(3),
  '{[€|€]}'.repeat(30),
  'Кафе\n\t"Щука" №7 – ёж',
  '中文支付有限公司'.repeat(10),
]
const hosts = [null, 'pay.uz', 'checkout.payments-provider.example.uz', `${'h'.repeat(60)}.uz`]

test('the message has the code, the card’s last four digits and the lifetime, in the caller’s language', () => {
  assert.equal(formatCodeMessage('en', text), 'Tessera: code 012345 for card *6311, valid for 180 s. Do not share it.')
  assert.equal(formatCodeMessage('ru', text), 'Tessera: код 012345 для карты *6311, действует 180 с. Никому его не сообщайте.')
  assert.equal(formatCodeMessage('uz', text), 'Tessera: *6311 karta uchun kod 012345, 180 s amal qiladi. Uni hech kimga aytmang.')
})

test('the last line binds the code to the form as a page of its own, and to the shop and the form when the shop’s page embeds it', () => {
  const lastLine = (of: object): string | undefined =>
    formatCodeMessage('en', { ...text, ...of })
      .split('\n\n')
      .at(-1)
  assert.equal(lastLine({ formHost: 'form.example.uz' }), '@form.example.uz #012345')
  assert.equal(lastLine({ formHost: 'form.example.uz', shopHost: 'form.example.uz' }), '@form.example.uz #012345')
  assert.equal(lastLine({ formHost: 'form.example.uz', shopHost: 'shop.example' }), '@shop.example #012345 @form.example.uz')
})

test('every message of a code is one segment in English and Uzbek and two at most in Russian, and has its code', () => {
  let bound = 0
  for (const language of languages)
    for (const providerName of names)
      for (const formHost of hosts)
        for (const shopHost of hosts)
          for (const code of ['012345', 'ABCDEFGHJK']) {
            const message = formatCodeMessage(language, { ...text, code, providerName, formHost, shopHost, lifetimeSeconds: 86_400 })
            const at = JSON.stringify([language, providerName.slice(0, 10), formHost, shopHost, message])
            assert.ok(countSmsSegments(message) <= maxSmsSegments[language], at)
            assert.match(message, new RegExp(`^[^\n]*${code}`), at)
            if (language !== 'ru') assert.ok(isGsmText(message), at)
            const line = message.split('\n\n')[1]
            if (line === undefined) continue
            bound++
            const isEmbedded = shopHost !== null && shopHost !== formHost
            assert.equal(line, isEmbedded ? `@${shopHost} #${code} @${String(formHost)}` : `@${String(formHost)} #${code}`, at)
          }
  assert.ok(bound > 400, String(bound))
})

test('ordinary hosts always leave room for the last line', () => {
  const [formHost, shopHost] = ['checkout.payments-provider.example.uz', 'www.a-shop-with-a-long-name.example.uz']
  for (const language of languages)
    for (const providerName of names)
      assert.match(
        formatCodeMessage(language, { ...text, providerName, formHost, shopHost }),
        /\n\n@.+ #012345 @.+$/,
        `${language} ${providerName}`,
      )
})

test('every message about a receipt is one segment in English and Uzbek and two at most in Russian, with its amount', () => {
  for (const language of languages)
    for (const providerName of names)
      for (const shop of names)
        for (const number of ['197', 'Договор 12/345 от 21 ноября 2026 года, приложение 17'])
          for (const isPaid of [true, false]) {
            const message = formatReceiptSms(language, { providerName, shop, number, isPaid, amountTiyin: 999_999_999_99 })
            const at = JSON.stringify([language, message])
            assert.ok(countSmsSegments(message) <= maxSmsSegments[language], at)
            assert.match(message, /999999999\.99/, at)
          }
})

test('names are written in Latin letters in English and Uzbek, and as they are in Russian', () => {
  const message = (language: 'en' | 'ru'): string =>
    formatCodeMessage(language, { ...text, providerName: 'Кафе\n\t"Щука" №7 – ёж, Oʻzbek' })
  assert.match(message('en'), /^Kafe "Shuka" No7 - yoj, O'zbek: code/)
  assert.match(message('ru'), /^Кафе "Щука" №7 – ёж, Oʻzbek: код/)
})
