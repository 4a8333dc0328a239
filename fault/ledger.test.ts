import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge, makeLedger, type Far, type Fate, type Seen } from './ledger.ts'

const live: Seen = { kind: 'card', verified: false }
const verified: Seen = { kind: 'card', verified: true }
const removed: Seen = { kind: 'removed' }
const absent: Seen = { kind: 'absent', reason: 'card_not_found' }

function fateOf(verify: Far, remove: Far): Fate {
  return { token: 't', code: 'acknowledged', verify, remove }
}

const right: [verify: Far, remove: Far, seen: Seen][] = [
  ['no', 'no', live],
  ['asked', 'no', live],
  ['asked', 'no', verified],
  ['acknowledged', 'no', verified],
  ['acknowledged', 'asked', verified],
  ['acknowledged', 'asked', removed],
  ['no', 'acknowledged', removed],
]

const wrong: [verify: Far, remove: Far, seen: Seen][] = [
  ['no', 'no', absent],
  ['no', 'no', verified],
  ['no', 'no', removed],
  ['acknowledged', 'no', live],
  ['acknowledged', 'no', removed],
  ['acknowledged', 'no', absent],
  ['asked', 'no', removed],
  ['asked', 'asked', absent],
  ['no', 'acknowledged', live],
  ['acknowledged', 'acknowledged', verified],
  ['no', 'acknowledged', absent],
]

test('what was acknowledged has to be seen, and what was asked for may be', () => {
  for (const [verify, remove, seen] of right)
    assert.equal(judge(fateOf(verify, remove), seen), null, JSON.stringify({ verify, remove, seen }))
})

test('what is seen otherwise than acknowledged, or was never asked for, is a loss', () => {
  for (const [verify, remove, seen] of wrong)
    assert.notEqual(judge(fateOf(verify, remove), seen), null, JSON.stringify({ verify, remove, seen }))
})

test('a ledger counts each acknowledged deed, and a token that is given twice ends the run', () => {
  const ledger = makeLedger()
  Object.assign(ledger.created('one'), { code: 'acknowledged', verify: 'asked' })
  ledger.created('two')
  assert.equal(ledger.countAcknowledged(), 3)
  assert.throws(() => ledger.created('one'), /given twice/)
})
