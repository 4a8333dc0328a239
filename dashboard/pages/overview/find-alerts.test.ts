import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findCodeAlert, findEndpointAlerts } from './find-alerts.ts'
import type { OverviewData } from './overview-data.ts'

type Endpoint = Parameters<typeof findEndpointAlerts>[0][number]

function endpoint(delivered: number, attempted: number, more: Partial<Endpoint> = {}): Endpoint {
  const health = { attempted, delivered, lastFailedAt: null, oldestWaitingAt: null }
  const rest = { url: 'https://shop.example/hook', createdAt: 0, types: [], disabledAt: null, bothSecretsUntil: null }
  return { endpointId: `${String(delivered)}/${String(attempted)}`, state: 'active', health, ...rest, ...more }
}

test('an enabled endpoint is named when less than nine in ten deliveries get through', () => {
  const listed = findEndpointAlerts([endpoint(0, 0), endpoint(9, 10), endpoint(8, 10), endpoint(0, 5, { disabledAt: 7 })])
  assert.deepEqual(
    listed.map(({ endpointId }) => endpointId),
    ['8/10'],
  )
})

test('codes that the gateway did not send are named when they are more than one in a hundred, and those of blocked cards are not', () => {
  const of = (codesSent: number, ...codesRefused: { reason: string; count: number }[]) =>
    findCodeAlert({ codesRefused, total: { codesSent } } as unknown as OverviewData)
  assert.equal(of(100), null)
  assert.equal(of(10, { reason: 'card_blocked', count: 9 }), null)
  assert.equal(of(99, { reason: 'sms_not_sent', count: 1 }), null)
  assert.deepEqual(
    of(90, { reason: 'card_expired', count: 7 }, { reason: 'sms_not_sent', count: 2 }, { reason: 'network_timeout', count: 1 }),
    {
      count: 3,
      requested: 100,
      reason: 'sms_not_sent',
    },
  )
})
