import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiClient, CallOutcome } from './api-client.ts'
import { createKeyed, makeStuckLoad, slowestMs } from './stuck-store-load.ts'

/** A double of the client of the API: its calls wait until they are answered by hand. */
function makeWaitingClient(): { client: ApiClient; answer: (outcome: CallOutcome) => void } {
  const waiting: ((outcome: CallOutcome) => void)[] = []
  const call = (): Promise<CallOutcome> => new Promise((resolve) => void waiting.push(resolve))
  const client: ApiClient = {
    call,
    create: call,
    requestCode: call,
    verify: call,
    check: call,
    remove: call,
    isOpen: () => true,
    close: () => undefined,
  }
  return { client, answer: (outcome) => waiting.shift()?.(outcome) }
}

const refused: CallOutcome = { kind: 'refused', status: 503, code: -32603, reason: 'store_unavailable', retryAfterMs: 1000 }

test('a call that is in progress when the fault begins counts as one of the fault', async () => {
  const load = makeStuckLoad()
  const { client, answer } = makeWaitingClient()
  const [sentBefore, sentDuring] = [createKeyed(client, load, 'a'), createKeyed(client, load, 'b')]
  load.phase = 'during'
  answer(refused)
  await sentBefore
  load.phase = 'after'
  answer(refused)
  await sentDuring
  assert.deepEqual(
    load.writes.map(({ phase }) => phase),
    ['during', 'during'],
  )
  assert.ok(slowestMs(load.writes) > 0)
})

test('a call that ends in the phase in which it was sent counts in this one', async () => {
  const load = makeStuckLoad()
  const { client, answer } = makeWaitingClient()
  const call = createKeyed(client, load, 'a')
  answer(refused)
  await call
  assert.deepEqual(
    load.writes.map(({ phase }) => phase),
    ['before'],
  )
})

test('a refusal that does not say when to call again is a fault', async () => {
  const load = makeStuckLoad()
  const { client, answer } = makeWaitingClient()
  const call = createKeyed(client, load, 'a')
  answer({ kind: 'refused', status: 503, code: -32603, reason: 'outcome_unknown' })
  await call
  assert.deepEqual(load.complaints, ['a call ended with outcome_unknown, status 503, retry after undefined ms'])
  const retryable = createKeyed(client, load, 'a')
  answer(refused)
  await retryable
  assert.equal(load.complaints.length, 1)
})
