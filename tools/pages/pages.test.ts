import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errors } from '@tessera/contract/errors'
import { publicOperations as methods } from '@tessera/contract/operations'
import { settings } from '../../service/src/ops/config/config.ts'
import { printPages } from './pages.ts'

const pages = printPages('0.1.0')
const read = (path: string): string => pages.get(`docs/reference/${path}`) ?? ''

test('every error, method and setting has its printed page', () => {
  for (const { reason } of Object.values(errors)) assert.ok(read('errors.md').includes(`id="${reason}"`), reason)
  for (const { name, env } of settings) assert.ok(read('settings.md').includes(`\`${name}\``) && read('settings.md').includes(env), name)
  for (const name of Object.keys(methods)) {
    assert.ok(read('methods/README.md').includes(`(${name}.md)`), name)
    assert.ok(read(`methods/${name}.md`).startsWith(`# ${name}\n`), name)
  }
})

test('the example of cards.create is shown as each profile masks it', () => {
  const text = read('methods/cards.create.md')
  for (const spelling of ['"number": "8600***6311"', '"expire": "0399"', '"number": "860006******6311"', '"expire": "03/99"']) {
    assert.ok(text.includes(spelling), spelling)
  }
})

test('the card of a receipt keeps its YYMM expiry in both profiles', () => {
  const text = read('methods/receipts.pay.md')
  assert.equal(text.split('"expire": "9903"').length, 3)
})

test('the page of each method that changes something, and of no other, says that it accepts an Idempotency-Key', () => {
  for (const [name, { mutates }] of Object.entries(methods)) {
    assert.equal(read(`methods/${name}.md`).replaceAll('\n', ' ').includes('accepts an `Idempotency-Key`'), mutates, name)
  }
})

test('the same code prints the same pages', () => {
  assert.deepEqual([...printPages('0.1.0')], [...pages])
})
