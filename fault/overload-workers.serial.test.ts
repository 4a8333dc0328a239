// time limit: 120 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { capacity, floodOnce } from './overload-workers.ts'
import { createServiceDataFactory } from './service-data.ts'
import { killAll } from './spawn.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

const times = { warming: 200, before: 200, rising: 3000, during: 3000, after: 200, untilStop: 1000 }

test('one merchant’s flood through two workers leaves the store busy and the calls of another one admitted, and a stop meanwhile loses nothing', async () => {
  const run = await floodOnce({ store: 'sqlite', workers: 2, dataFactory, say: () => undefined }, { times })
  assert.deepEqual([...run.lost, ...run.complaints], [])
  const { flooding, creates, checks } = run.during
  // Counts only: how long a call takes is judged by `npm run fault -- overload-workers`.
  const cards = flooding.created + creates.created
  assert.ok(cards >= 0.6 * capacity * 6, `${cards} cards in six seconds`)
  assert.ok(flooding.refused > cards, `${flooding.refused} of the flood were refused`)
  assert.ok(creates.sent >= 15, `${creates.sent} calls of the other merchant`)
  assert.deepEqual([creates.refused, creates.withoutReply, checks.failed], [0, 0, 0])
})
