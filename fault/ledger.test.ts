import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeCard, makeLedger, type CallProgress, type CardRecord, type ObservedCard } from './ledger.ts'

const live: ObservedCard = { kind: 'card', verified: false }
const verified: ObservedCard = { kind: 'card', verified: true }
const removed: ObservedCard = { kind: 'removed' }
const absent: ObservedCard = { kind: 'absent', reason: 'card_not_found' }

function cardWith(verify: CallProgress, remove: CallProgress): CardRecord {
  return { token: 't', code: 'acknowledged', verify, remove }
}

const right: [verify: CallProgress, remove: CallProgress, seen: ObservedCard][] = [
  ['none', 'none', live],
  ['sent', 'none', live],
  ['sent', 'none', verified],
  ['acknowledged', 'none', verified],
  ['acknowledged', 'sent', verified],
  ['acknowledged', 'sent', removed],
  ['none', 'acknowledged', removed],
]

const wrong: [verify: CallProgress, remove: CallProgress, seen: ObservedCard][] = [
  ['none', 'none', absent],
  ['none', 'none', verified],
  ['none', 'none', removed],
  ['acknowledged', 'none', live],
  ['acknowledged', 'none', removed],
  ['acknowledged', 'none', absent],
  ['sent', 'none', removed],
  ['sent', 'sent', absent],
  ['none', 'acknowledged', live],
  ['acknowledged', 'acknowledged', verified],
  ['none', 'acknowledged', absent],
]

test('what was acknowledged must be there, and what was sent without a reply may be', () => {
  for (const [verify, remove, seen] of right)
    assert.equal(judgeCard(cardWith(verify, remove), seen), null, JSON.stringify({ verify, remove, seen }))
})

test('a card that differs from what was acknowledged, or changed without a request, is a loss', () => {
  for (const [verify, remove, seen] of wrong)
    assert.notEqual(judgeCard(cardWith(verify, remove), seen), null, JSON.stringify({ verify, remove, seen }))
})

test('a ledger counts each acknowledged call, and a token that is issued twice ends the run', () => {
  const ledger = makeLedger()
  Object.assign(ledger.addCard('one'), { code: 'acknowledged', verify: 'sent' })
  ledger.addCard('two')
  assert.equal(ledger.countAcknowledged(), 3)
  assert.throws(() => ledger.addCard('one'), /issued twice/)
})
