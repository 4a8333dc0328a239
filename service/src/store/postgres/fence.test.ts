import assert from 'node:assert/strict'
import { test } from 'node:test'

import { decidePrimary, type PrimaryCandidate } from './fence.ts'

const server = (over: Partial<PrimaryCandidate>): PrimaryCandidate => ({
  host: 'postgres://a/db',
  startedAt: '1',
  timeline: 1,
  epoch: 1,
  rowTimeline: 1,
  chosenOver: 0,
  ...over,
})
const old = server({ host: 'postgres://old/db', startedAt: 'old' })
const promoted = server({ host: 'postgres://new/db', startedAt: 'new', timeline: 2 })
const adopted = { ...promoted, epoch: 2, rowTimeline: 2 }

test('the only server that accepts writes is followed when it is not older than the one followed last', () => {
  assert.deepEqual(decidePrimary([], { epoch: 1, timeline: 1 }), { kind: 'none' })
  for (const seen of [null, { epoch: 1, timeline: 1 }]) assert.deepEqual(decidePrimary([old], seen), { kind: 'follow', primary: old })
  // A promoted standby has the row of its primary, and a newer timeline.
  assert.deepEqual(decidePrimary([promoted], { epoch: 1, timeline: 1 }), { kind: 'follow', primary: promoted })
  // Another process advanced the epoch.
  assert.deepEqual(decidePrimary([adopted], { epoch: 1, timeline: 1 }), { kind: 'follow', primary: adopted })
})

test('the only server is refused when its epoch or its timeline is older, or its row was copied from another cluster', () => {
  for (const [found, seen] of [
    [old, { epoch: 2, timeline: 2 }],
    [old, { epoch: 1, timeline: 2 }],
    [server({ epoch: 0, rowTimeline: 0 }), { epoch: 1, timeline: 1 }],
    [server({ timeline: 1, rowTimeline: 2 }), null],
  ] as const)
    assert.deepEqual(decidePrimary([found], seen), { kind: 'refuse', reason: 'older_primary', found: [found] })
})

test('two servers that accept writes are refused, whichever of them is newer', () => {
  for (const newer of [promoted, adopted])
    for (const seen of [null, { epoch: 2, timeline: 2 }])
      assert.deepEqual(decidePrimary([old, newer], seen), { kind: 'refuse', reason: 'two_primaries', found: [newer, old] })
})

test('two names of one server are one server, also when its epoch is advanced between the looks at it', () => {
  const named = { ...old, host: 'postgres://other-name/db' }
  assert.equal(decidePrimary([old, named], null).kind, 'follow')
  // The epoch was advanced between the two looks at it.
  for (const found of [
    [old, { ...named, epoch: 2 }],
    [{ ...named, epoch: 2 }, old],
  ])
    assert.deepEqual(decidePrimary(found, { epoch: 2, timeline: 1 }), { kind: 'follow', primary: { ...named, epoch: 2 } })
})

test('a server that an operator chose is followed beside those it was chosen over, until one of them is promoted again', () => {
  const chosen = { ...old, epoch: 3, chosenOver: 2 }
  assert.deepEqual(decidePrimary([adopted, chosen], { epoch: 2, timeline: 2 }), { kind: 'follow', primary: chosen })
  const promotedAgain = { ...adopted, timeline: 3 }
  assert.deepEqual(decidePrimary([promotedAgain, chosen], { epoch: 3, timeline: 1 }), {
    kind: 'refuse',
    reason: 'two_primaries',
    found: [chosen, promotedAgain],
  })
  // It fails over as any primary does.
  const successor = { ...promotedAgain, host: 'postgres://third/db', startedAt: 'third', epoch: 3, chosenOver: 2, rowTimeline: 1 }
  assert.deepEqual(decidePrimary([successor, adopted], { epoch: 3, timeline: 1 }), { kind: 'follow', primary: successor })
})
