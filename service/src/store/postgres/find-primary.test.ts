import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { PrimaryCandidate } from './fence.ts'
import { lookAtHosts } from './find-primary.ts'

const candidate = (host: string, over: Partial<PrimaryCandidate> = {}): PrimaryCandidate => ({
  host,
  startedAt: host,
  timeline: 1,
  epoch: 1,
  rowTimeline: 1,
  chosenOver: 0,
  ...over,
})
const followed = candidate('followed')
const promoted = candidate('promoted', { timeline: 2 })
const seen = { epoch: 1, timeline: 1 }

const probeOf = (found: PrimaryCandidate | null) => ({ look: () => Promise.resolve(found) })
/** A host that never responds: a look that waits for it does not end, and the test with it. */
const silent = { look: () => new Promise<never>(() => undefined) }

test('two primaries are seen without waiting for a silent host, in every look', async () => {
  for (const isPatient of [true, false])
    for (const before of [null, seen]) {
      const { candidates } = await lookAtHosts([silent, probeOf(followed), probeOf(promoted)], before, isPatient)
      assert.deepEqual(candidates.map(({ host }) => host).sort(), ['followed', 'promoted'])
    }
})

test('a newer primary is seen without waiting for a silent host, in every look', async () => {
  for (const isPatient of [true, false])
    assert.deepEqual((await lookAtHosts([silent, probeOf(promoted)], seen, isPatient)).candidates, [promoted])
})

test('the primary of before is enough for a caller who waits, and a patient look waits for every host', async () => {
  assert.deepEqual((await lookAtHosts([silent, probeOf(followed)], seen, false)).candidates, [followed])
  let respond: (found: PrimaryCandidate | null) => void = () => undefined
  const slow = { look: () => new Promise<PrimaryCandidate | null>((resolve) => (respond = resolve)) }
  const looking = lookAtHosts([slow, probeOf(followed)], seen, true)
  let isOver = false
  void looking.then(() => (isOver = true))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isOver, false)
  respond(promoted)
  assert.deepEqual((await looking).candidates, [followed, promoted])
})
