import assert from 'node:assert/strict'
import { test } from 'node:test'

import { titleOfCustomer } from './customer-title.ts'

test('a plain id is in the title of the document, and what may be a phone, an address or a text is not', () => {
  for (const customer of ['user-1042', '6311', 'payer_7.b']) assert.equal(titleOfCustomer(customer), customer)
  for (const customer of ['998901234567', 'tel-90-123-45-67', 'payer@example.uz', 'Ali Valiyev', '+99890', ''])
    assert.equal(titleOfCustomer(customer), '')
})
