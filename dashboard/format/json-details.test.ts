import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readJsonDetails } from './json-details.ts'

test('the members of an object are names with values, and a value that is not text stays JSON', () => {
  const json = '{"phone":"998","receipt_id":77,"paid":true,"more":{"a":[1]}}'
  assert.deepEqual(readJsonDetails(json), [
    ['phone', '998'],
    ['receipt_id', '77'],
    ['paid', 'true'],
    ['more', '{"a":[1]}'],
  ])
})

test('the fields of an account are named by their titles, and by their names where the title is empty', () => {
  const json = '[{"name":"order_id","title":"Order","value":"197"},{"name":"note","title":"","value":"<b>"}]'
  assert.deepEqual(readJsonDetails(json), [
    ['Order', '197'],
    ['note', '<b>'],
  ])
})

test('anything else has no details and is shown as it is', () => {
  for (const json of ['', '{', 'null', '5', '"text"', '[1]', '[{"name":"a","value":"b"}]']) assert.equal(readJsonDetails(json), null, json)
})
