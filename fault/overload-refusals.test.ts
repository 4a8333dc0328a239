import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findRefusalFaults, latePercent, parseRefusals } from './overload-refusals.ts'

const page = `# TYPE tessera_overload_refusal_delay_seconds histogram
tessera_overload_refusal_delay_seconds_bucket{le="0.025"} 90
tessera_overload_refusal_delay_seconds_bucket{le="0.05"} 98
tessera_overload_refusal_delay_seconds_bucket{le="+Inf"} 100
tessera_overload_refusal_delay_seconds_sum 1.5
tessera_overload_refusal_delay_seconds_count 100
`

test('refusals that came later than 50 ms are those above that bucket, and more than one in a hundred is a fault', () => {
  const refusals = parseRefusals(page)
  assert.deepEqual([refusals, latePercent(refusals)], [{ count: 100, late: 2 }, 2])
  assert.deepEqual(findRefusalFaults(refusals), ['2 % of the refusals came later than 50 ms after the call was read'])
  assert.deepEqual(findRefusalFaults({ count: 100, late: 1 }), [])
})

test('a service that has measured no refusal has not shown that they come in time', () => {
  assert.deepEqual(findRefusalFaults(parseRefusals('')), ['the service has measured no refusal'])
})
