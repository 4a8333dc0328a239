import assert from 'node:assert/strict'
import { test } from 'node:test'

import { formatCodeMessage } from './code-message.ts'

const text = { code: '012345', maskedPan: '860006******6311', lifetimeSeconds: 180, providerName: 'Tessera', formHost: null }

test('the message has the code, the card’s last four digits and the lifetime, in the caller’s language', () => {
  assert.equal(formatCodeMessage('en', text), 'Tessera: code 012345 for card *6311, valid for 180 s. Do not share it.')
  assert.equal(formatCodeMessage('ru', text), 'Tessera: код 012345 для карты *6311, действует 180 с. Никому его не сообщайте.')
  assert.equal(formatCodeMessage('uz', text), 'Tessera: *6311 karta uchun kod 012345, 180 s amal qiladi. Uni hech kimga aytmang.')
})

test('with a form the last line binds the code to its host', () => {
  assert.equal(
    formatCodeMessage('en', { ...text, formHost: 'form.example.uz' })
      .split('\n')
      .at(-1),
    '@form.example.uz #012345',
  )
})

test('English and Uzbek fit one message of 160 GSM characters', () => {
  for (const language of ['en', 'uz'] as const) {
    const message = formatCodeMessage(language, { ...text, formHost: 'form.example.uz' })
    assert.ok(message.length <= 160)
    assert.match(message, /^[\w @#*:.,'\n-]*$/)
  }
})
