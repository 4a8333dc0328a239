import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeLog } from './log.ts'
import { makeWebhookEndpointObserver } from './observers.ts'

const delivery = { merchantId: '65f0c0ffee0000000000cafe', endpointId: 'a' }

test('an endpoint that is down has one line however often it fails, and one when it is back; of one that comes and goes a pair a minute', () => {
  const lines: Record<string, unknown>[] = []
  let now = 0
  const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }, () => now)
  const observer = makeWebhookEndpointObserver(log, () => now)
  const take = (): string[] => lines.splice(0).map(({ event, merchantId, reason = '' }) => [event, merchantId, reason].join(' '))
  observer.recovered(delivery)
  for (let n = 0; n < 100; n++) observer.down(delivery, 'late')
  assert.deepEqual(take(), [`webhook_endpoint_down ${delivery.merchantId} late`])
  observer.recovered(delivery)
  assert.deepEqual(take(), [`webhook_endpoint_recovered ${delivery.merchantId} `])
  now = 59_999
  observer.down(delivery, 'refused')
  observer.recovered(delivery)
  assert.deepEqual(take(), [])
  observer.down({ ...delivery, endpointId: 'b' }, 'unreachable')
  observer.down(delivery, 'refused')
  now = 60_000
  observer.down(delivery, 'refused')
  assert.deepEqual(take(), [
    `webhook_endpoint_down ${delivery.merchantId} unreachable`,
    `webhook_endpoint_down ${delivery.merchantId} refused`,
  ])
})
