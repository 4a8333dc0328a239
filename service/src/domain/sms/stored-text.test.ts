import assert from 'node:assert/strict'
import { test } from 'node:test'

import { storedGatewayId, storedSmsError } from './stored-text.ts'

test('no digits of a phone or a code are stored with the error of a gateway, however they are separated', () => {
  for (const text of [
    '998901234567',
    '998 90 123 45 67',
    'no route to 998-90-123-45-67',
    'to 90.123.45.67',
    'code 12 34 56',
    'code 1234',
    'é',
  ])
    assert.equal(storedSmsError(text), 'other', text)
  for (const text of ['UNDELIV 011', 'smpp 0x58', 'not connected', 'error 42: route 7']) assert.equal(storedSmsError(text), text)
  for (const text of ['', ' ', null, undefined]) assert.equal(storedSmsError(text), '')
})

test('an id of a gateway that is too long or not printable is not stored', () => {
  for (const id of ['a'.repeat(65), 'a b', 'é', null, undefined]) assert.equal(storedGatewayId(id), '')
  assert.equal(storedGatewayId('998901234567-1'), '998901234567-1')
})
