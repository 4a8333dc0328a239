import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeCommitBacklog } from './commit-backlog.ts'

/** A backlog with a clock that the test moves. */
function setUp() {
  let at = 0
  const backlog = makeCommitBacklog({ waitMs: 500, now: () => at })
  const begin = (writes: number): void => {
    for (let n = 0; n < writes; n++) backlog.writeStarted()
  }
  /** The store completes writes for a while, one in `everyMs`; the backlog is looked at each time, as calls that come do. */
  const complete = (writes: number, everyMs: number): void => {
    for (let n = 0; n < writes; n++) {
      at += everyMs
      backlog.writeEnded()
      backlog.isTooLong()
    }
  }
  return { backlog, begin, complete, pass: (ms: number) => (at += ms) }
}

test('a queue is too long when the store needs longer than the bound for it, and is not when it has shrunk', () => {
  const { backlog, begin, complete } = setUp()
  begin(200)
  assert.equal(backlog.isTooLong(), false)
  complete(100, 10)
  assert.equal(backlog.isTooLong(), true)
  complete(49, 10)
  assert.equal(backlog.isTooLong(), true)
  complete(2, 10)
  assert.equal(backlog.isTooLong(), false)
})

test('the same number of writes is no backlog at a fast store, and a burst into an idle store never is', () => {
  const { backlog, begin, complete, pass } = setUp()
  for (let calm = 0; calm < 20; calm++) {
    begin(1)
    complete(1, 100)
  }
  begin(2000)
  assert.equal(backlog.isTooLong(), false)
  complete(1000, 0.3)
  assert.equal(backlog.isTooLong(), false)
  pass(100)
  assert.equal(backlog.isTooLong(), false)
})

test('when no write ends a queue becomes too long, a few writes do not, and the next queue begins with the speed of the last that was served', () => {
  const { backlog, begin, complete, pass } = setUp()
  begin(31)
  pass(60_000)
  assert.equal(backlog.isTooLong(), false)
  begin(9)
  pass(300)
  assert.equal(backlog.isTooLong(), true)
  complete(40, 1)
  assert.equal(backlog.isTooLong(), false)
  // The store stood still: that is no measure of its speed.
  begin(100)
  assert.equal(backlog.isTooLong(), false)
  complete(60, 20)
  assert.equal(backlog.isTooLong(), true)
  complete(40, 20)
  begin(40)
  assert.equal(backlog.isTooLong(), true)
  complete(40, 1)
  pass(11_000)
  begin(40)
  assert.equal(backlog.isTooLong(), false)
})
