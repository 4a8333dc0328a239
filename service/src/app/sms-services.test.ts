import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Sms, SmsDeliveryReport } from '../adapters/sms/sms.ts'
import { recordSmsDelivery } from '../store/sms-sends.ts'
import { StoreUnavailable } from '../store/store.ts'
import { makeHandClock } from '../testing/clock.fixture.ts'
import { replaceWrite, storeOf } from '../testing/store.fixture.ts'

import { createSmsServices } from './sms-services.ts'

test('a delivery that cannot be stored is counted once, when it comes again and is stored', async () => {
  const state = { isStoreAway: true }
  const store = storeOf(
    replaceWrite(recordSmsDelivery, async () => {
      if (state.isStoreAway) throw new StoreUnavailable('away')
      return true
    }),
  )
  let report: (report: SmsDeliveryReport) => Promise<void> = () => assert.fail('nobody listens')
  const port: Sms = { send: () => assert.fail('nothing is sent'), watchDeliveries: (listener) => void (report = listener) }
  const counted: string[] = []
  createSmsServices({ smsSendsDays: 30, smsTimeoutMs: 1000, providerName: 'A provider' } as never, {
    base: { store, keyring: null as never, clock: makeHandClock() },
    scanning: store,
    gateways: [],
    adapters: [{ name: 'smpp', port }],
    log: null as never,
    metrics: { countSmsDelivery: ({ gateway, outcome }) => void counted.push(`${gateway} ${outcome}`) },
  })
  await assert.rejects(report({ gatewayMessageId: 'm1', outcome: 'delivered' }), /away/)
  assert.deepEqual(counted, [])
  state.isStoreAway = false
  await report({ gatewayMessageId: 'm1', outcome: 'delivered' })
  assert.deepEqual(counted, ['smpp delivered'])
})
