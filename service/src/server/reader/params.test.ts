import assert from 'node:assert/strict'
import { test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'

import { makePan, testPan } from '../../testing/pans.fixture.ts'
import { plain, readOne } from '../../testing/reading.fixture.ts'

import { makeReadParams } from './params.ts'

const readParams = makeReadParams()
const likeVisa = '4000000000000002'

test('an order number that looks like a card number by a short prefix is accepted only in a reference field', () => {
  const references = new Set(['order_id'])
  for (const value of [`"${likeVisa}"`, likeVisa, '"5300 0000 0000 0006"', '"340000000000009"', '"№ 4000-0000-0000-0002"']) {
    const params = createReceipt(`{"order_id":${value},"note":"n"}`, references)
    assert.deepEqual(plain(params.account as never), { order_id: JSON.parse(value) as unknown, note: 'n' })
  }
  const refused: [account: string, field: string][] = [
    [`{"note":"${likeVisa}"}`, 'note'],
    [`{"order_id":"${likeVisa}","note":"${likeVisa}"}`, 'note'],
    [`{"order_id":"${testPan}"}`, 'order_id'],
    [`{"order_id":${testPan}}`, 'order_id'],
    [`{"order_id":"${makePan('5614', 3)}"}`, 'order_id'],
    [`{"*":"${likeVisa}"}`, '*'],
  ]
  for (const [account, field] of refused)
    assert.deepEqual(
      faultOf(() => createReceipt(account, references)),
      ['panOutOfPlace', `account.${field}`],
      account,
    )
  assert.deepEqual(
    faultOf(() => createReceipt(`{"order_id":"${likeVisa}"}`)),
    ['panOutOfPlace', 'account.order_id'],
  )
})

test('a reference does not hide an earlier fault of params', () => {
  const fault = faultOf(() => createReceipt(`{"order_id":"${likeVisa}","cvv":"1"}`, new Set()))
  assert.deepEqual(fault, ['sensitiveAuthenticationData', 'account.cvv'])
})

test('the name of an account field has at most 64 characters and neither control characters nor line breaks', () => {
  for (const name of ['x'.repeat(65), 'a\nb', 'a\n', '\r', '\u2028', 'tab\t', '\u0085']) {
    for (const value of ['v', { deep: true }, [1]]) {
      const account = JSON.stringify({ [name]: value })
      assert.deepEqual(
        faultOf(() => createReceipt(account)),
        ['memberInvalid', 'account.*'],
        account,
      )
      const card = `{"card":{"number":"${testPan}","expire":"0399"},"account":${account}}`
      assert.deepEqual(
        faultOf(() => readParams('cards.create', readOne(`{"method":"cards.create","params":${card}}`))),
        ['memberInvalid', 'account.*'],
      )
    }
  }
  for (const name of ['order_id', 'номер заказа-1', '', 'x'.repeat(64)])
    assert.deepEqual(plain(createReceipt(JSON.stringify({ [name]: 'v' })).account as never), { [name]: 'v' })
})

test('an account value has at most 256 characters, whatever its name', () => {
  assert.deepEqual(
    faultOf(() => createReceipt(JSON.stringify({ a: 'x'.repeat(257) }))),
    ['memberInvalid', 'account.a'],
  )
})

function createReceipt(account: string, referenceFields?: ReadonlySet<string>) {
  const call = readOne(`{"method":"receipts.create","params":{"amount":1,"account":${account}}}`)
  return readParams('receipts.create', call, referenceFields)
}

function faultOf(read: () => unknown): [entry: string, data: unknown] | null {
  try {
    read()
    return null
  } catch (err) {
    if (err instanceof RpcError) return [err.entry, err.data]
    throw err
  }
}
