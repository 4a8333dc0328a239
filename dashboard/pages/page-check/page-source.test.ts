import assert from 'node:assert/strict'
import { test } from 'node:test'

import { formCheckCommand, isTooLongToSend, maskDigitRuns } from './page-source.ts'

test('a card number in a pasted source is zeroed, however its digits are grouped, and no column moves', () => {
  for (const number of [
    '8600069195406311',
    '8600 0691 9540 6311',
    '8600-0691-9540-6311',
    '3782 822463 10005',
    '8600\u00a00691\u00a09540\u00a06311',
  ]) {
    const html = `<input placeholder="${number}">`
    const masked = maskDigitRuns(html)
    assert.equal(masked.length, html.length)
    assert.doesNotMatch(masked, /[1-9]/, number)
  }
})

test('short runs of digits stay as they are', () => {
  const html = '<p id="a12345678901">12/2030, 998 90 123 45, v1.2.3</p>'
  assert.equal(maskDigitRuns(html), html)
})

test('a source is too long to send when its request would be, counted in bytes', () => {
  assert.equal(isTooLongToSend({ html: 'x'.repeat(64_000) }), false)
  assert.equal(isTooLongToSend({ html: 'ж'.repeat(33_000) }), true)
})

test('the command checks the page by its address, or an example where the source was pasted, and no quote ends its quotes', () => {
  assert.match(
    formCheckCommand('https://shop.example/pay'),
    /^tessera form-check 'https:\/\/shop\.example\/pay'\n.* --sarif > form-check\.sarif$/,
  )
  for (const page of [null, 'pasted']) assert.match(formCheckCommand(page), /^tessera form-check 'https:\/\/shop\.example\/pay'\n/)
  assert.match(formCheckCommand("https://shop.example/it's"), /'https:\/\/shop\.example\/it%27s'/)
})
