import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { setScenarioStep } from '../../store/sandbox.ts'
import { newReceipt, pass, successPan } from '../../testing/receipts.fixture.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'
import type { AppliedTransition } from '../../domain/payments/dependencies.ts'
import type { Log } from '../logging/log.ts'
import { makeReceiptObserver } from '../logging/observers.ts'

import { makeMetrics } from './metrics.ts'
import { createReceiptGauges } from './receipt-gauges.ts'

const app = await createTestApp({ after })

test('gauges show receipts by state, the oldest unknown payment and overdue receipts, once they were counted in the store', async () => {
  const metrics = makeMetrics(app.clock)
  const gauges = createReceiptGauges({ store: app.store, clock: app.clock, metrics })
  const receiptLines = async () => (await metrics.render()).split('\n').filter((line) => line.startsWith('tessera_receipts'))
  try {
    assert.deepEqual(await receiptLines(), [])
    const merchant = app.merchant()
    const token = await merchant.createVerifiedToken(successPan, { save: true })
    await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'lose_request' })
    await pass(app, merchant.callRaw('receipts.pay', { id: await newReceipt(merchant), token }))
    app.clock.advance(60_000)
    await gauges.refresh()
    const lines = await receiptLines()
    assert.ok(lines.includes('tessera_receipts{state="20",name="unknown"} 1'), lines.join('\n'))
    assert.ok(lines.includes('tessera_receipts{state="5",name="held"} 0'))
    assert.ok(lines.includes('tessera_receipts_flagged 0'))
    assert.ok(lines.includes('tessera_receipts_oldest_unknown_seconds 60'))
    assert.ok(lines.includes('tessera_receipts_overdue_seconds 59'))
  } finally {
    metrics.close()
  }
})

test('a transition writes a line with the receipt and its cause and moves the gauges at once; a lease writes none', async () => {
  const metrics = makeMetrics(app.clock)
  const gauges = createReceiptGauges({ store: app.store, clock: app.clock, metrics })
  await gauges.refresh()
  const lines: [string, object][] = []
  const log = {
    info: (event, fields) => lines.push([event, fields ?? {}]),
    warn: (event, fields) => lines.push([event, fields ?? {}]),
  } as Partial<Log> as Log
  const observe = makeReceiptObserver(log, gauges, metrics)
  const receipt = { receiptId: 'a'.repeat(24), merchantId: 'b'.repeat(24), state: 20, unknownSince: 0 } as AppliedTransition['receipt']
  const transition = { from: 2, receipt, hasBecomeFlagged: false, requestId: '' } as const
  const unknownBefore = /tessera_receipts\{state="20",name="unknown"\} (\d+)/.exec(await metrics.render())?.[1]
  observe({ ...transition, cause: 'no_reply' })
  observe({ ...transition, from: 20, cause: 'lease_acquired' })
  observe({ ...transition, from: 20, cause: 'still_unknown', hasBecomeFlagged: true })
  const { receiptId, merchantId } = receipt
  assert.deepEqual(lines, [
    ['receipt_transition', { receiptId, merchantId, requestId: '', from: 2, to: 20, cause: 'no_reply' }],
    ['receipt_transition', { receiptId, merchantId, requestId: '', from: 20, to: 20, cause: 'still_unknown' }],
    ['receipt_flagged', { receiptId, merchantId, to: 20, cause: 'still_unknown' }],
  ])
  const page = await metrics.render()
  assert.ok(page.includes(`tessera_receipts{state="20",name="unknown"} ${String(Number(unknownBefore) + 1)}\n`), page)
  assert.ok(page.includes('tessera_receipts_flagged 1\n'))
  assert.ok(page.includes('tessera_receipt_transitions_total{state="20",cause="no_reply"} 1\n'), page)
  metrics.close()
})
