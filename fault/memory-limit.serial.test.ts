// time limit: 300 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Trial } from './experiment.ts'
import { unreadBatches, unreadPages, unreadReplies } from './memory-attacks.ts'
import { watchMemory } from './memory-cgroup.ts'
import { attackAll, attackUnbounded, limitBytes } from './memory-limit.ts'
import { createServiceDataFactory } from './service-data.ts'
import { killAll } from './spawn.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

const trial: Trial = { store: 'sqlite', seed: 1, cycles: 1, dataFactory, say: () => undefined }
/** Half of the attacks of `npm run fault -- memory-limit`, for a shorter time, in a service that is killed when it has more than 512 MB. */
const size = { limit: () => watchMemory(limitBytes), attacks: [unreadReplies, unreadBatches, unreadPages], attackMs: 1000 }

test('clients that read nothing do not make the service take 512 MB, and cards are created meanwhile', async () => {
  const { acknowledged, lost, complaints } = await attackAll(trial, size)
  assert.deepEqual({ lost, complaints }, { lost: 0, complaints: [] })
  assert.ok(acknowledged > 0)
})

test('without the bounds of memory the same service takes more', async () => {
  const { isKilled, megabytes } = await attackUnbounded(trial, size)
  assert.ok(isKilled, `it took ${megabytes} MB`)
})
