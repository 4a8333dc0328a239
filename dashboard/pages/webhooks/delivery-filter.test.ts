import assert from 'node:assert/strict'
import { test } from 'node:test'

import { parseDeliveryFilter } from './delivery-filter.ts'

test('a filter in the address is read, and a value that does not exist is ignored', () => {
  const endpoint = '65f0c0ffee0000000000cafe'
  const query = `state=dead&type=receipt.cancelled&endpoint=${endpoint}`
  assert.deepEqual(parseDeliveryFilter(new URLSearchParams(query)), { state: 'dead', type: 'receipt.cancelled', endpointId: endpoint })
  assert.deepEqual(parseDeliveryFilter(new URLSearchParams(`state=lost&type=card.painted&endpoint=${endpoint}0`)), {})
})
