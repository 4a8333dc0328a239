import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findKnownSmsIds, recordSmsDelivery } from '../../store/sms-sends.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'
import { replaceRead, replaceWrite, storeOf } from '../../testing/store.fixture.ts'

import { makeDeliveryReports } from './delivery-reports.ts'

const firstRetryMs = 5000

function start(stopping?: AbortController) {
  const clock = makeHandClock()
  const known = new Set<string>()
  const writes: string[] = []
  let reads = 0
  const store = storeOf(
    replaceRead(findKnownSmsIds('', []), async (values) => {
      reads++
      stopping?.abort()
      return new Set(values.map(String).filter((id) => known.has(id)))
    }),
    replaceWrite(recordSmsDelivery, async ({ gateway, gatewayMessageId }) => {
      writes.push(`${gateway} ${gatewayMessageId}`)
      return known.has(gatewayMessageId)
    }),
  )
  const reports = makeDeliveryReports({ store, clock })
  const receive = async (gateway: string, count: number): Promise<void> => {
    for (let at = 0; at < count; at++) await reports.record(gateway, { gatewayMessageId: `m${String(at)}`, outcome: 'delivered' })
    writes.length = 0
  }
  return { clock, known, writes, reports, receive, reads: () => reads }
}

test('reports of messages of another program cost one query a page, and only those of ours are written', async () => {
  const { clock, known, writes, reports, receive, reads } = start()
  await receive('smpp', 250)
  await receive('smpp2', 1)
  known.add('m7').add('m249')
  await reports.runOnce()
  assert.equal(reads(), 0, 'nothing is due yet')
  clock.advance(firstRetryMs)
  await reports.runOnce()
  assert.deepEqual([reads(), writes], [4, ['smpp m7', 'smpp m249']])
  assert.equal(reports.held(), 249)
  await reports.runOnce()
  assert.equal(reads(), 4, 'the next attempt is due later')
})

test('a stop ends the attempts after a page, and the reports stay held', async () => {
  const stopping = new AbortController()
  const { clock, reports, receive, reads } = start(stopping)
  await receive('smpp', 250)
  clock.advance(firstRetryMs)
  await reports.runOnce(stopping.signal)
  assert.deepEqual([reads(), reports.held()], [1, 250])
})

test('a report whose id no stored message can have is neither written nor held', async () => {
  const { writes, reports } = start()
  for (const gatewayMessageId of ['', 'a'.repeat(8192), 'a b', 'é'])
    await reports.record('smpp', { gatewayMessageId, outcome: 'delivered' })
  assert.deepEqual([writes, reports.held()], [[], 0])
})
