import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeCommitBacklog, type CommitBacklog } from './commit-backlog.ts'
import { allocateWaitingWrites, forgetWaitingWrites, makeWaitingWrites } from './waiting-writes.ts'

/** A backlog with a clock that the test moves. */
function setUp() {
  let at = 0
  const backlog = makeCommitBacklog({ waitMs: 500, now: () => at })
  const begin = (writes: number): void => {
    for (let n = 0; n < writes; n++) backlog.writeStarted(null)
  }
  /** The store completes writes for a while, one in `everyMs`; the backlog is looked at each time, as calls that come do. */
  const complete = (writes: number, everyMs: number): void => {
    for (let n = 0; n < writes; n++) {
      at += everyMs
      backlog.writeEnded(null)
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

test('a place is given back by itself at a worker to which no other call comes', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let at = 0
  const memory = allocateWaitingWrites(2)
  const [idle, other] = [0, 1].map((worker) => makeCommitBacklog({ waitMs: 500, now: () => at, memory, worker }))
  idle?.takePlace('a merchant')
  const { all } = makeWaitingWrites(memory, 1)
  assert.deepEqual([other?.isTooLong(), all.places()], [false, 1])
  at = 250
  t.mock.timers.tick(250)
  assert.equal(all.places(), 0)
})

test('six writes of a merchant are never a share that is too large, however many others have waiting', () => {
  const { backlogs, call, pass } = setUpWorkers(2)
  const [first = assert.fail(), second = assert.fail()] = backlogs
  pass(8000, (at) => {
    if (at % 4 === 0) call(first, 'the flood')
    if (at % 500 === 0) call(second, 'another')
  })
  for (let n = 0; n < 6; n++) assert.equal(call(second, 'another'), true, String(n))
  call(first, 'the flood')
  assert.equal(call(second, 'the flood'), false)
})

/** The backlogs of several workers, with one clock; a store that completes one write in `everyMs`, in the order in which they came from all of them. */
function setUpWorkers(workers: number) {
  let at = 0
  const memory = allocateWaitingWrites(workers)
  const backlogs = Array.from({ length: workers }, (_, worker) => makeCommitBacklog({ waitMs: 500, now: () => at, memory, worker }))
  const queue: { readonly backlog: CommitBacklog; readonly owner: string }[] = []
  const admitted = new Map<string, number>()
  /** As a call does: refused, or its write waits for the store. */
  const call = (backlog: CommitBacklog, owner: string): boolean => {
    const place = backlog.takePlace(owner)
    if (place === null) return false
    place.release()
    backlog.writeStarted(owner)
    queue.push({ backlog, owner })
    admitted.set(owner, (admitted.get(owner) ?? 0) + 1)
    return true
  }
  /** Calls `run` each millisecond, while the store completes a write in twenty. */
  const pass = (ms: number, run: (ms: number) => void = () => undefined): void => {
    for (let n = 1; n <= ms; n++) {
      at++
      run(n)
      if (n % 20 > 0) continue
      const done = queue.shift()
      done?.backlog.writeEnded(done.owner)
    }
  }
  return { memory, backlogs, queue, admitted, call, pass }
}

for (const workers of [1, 2, 8])
  test(`a queue that ${workers} workers share at a slow store is no longer than that of one`, () => {
    const { backlogs, queue, call, pass } = setUpWorkers(workers)
    let longest = 0
    pass(8000, (ms) => {
      for (const [at, backlog] of backlogs.entries()) if ((ms + at) % (4 * workers) === 0) call(backlog, 'a merchant')
      if (ms > 4000) longest = Math.max(longest, queue.length)
    })
    // 250 calls a second, 50 of which can be done. One merchant that is alone has a half of 32 places, and never less than the store needs to be busy.
    assert.ok(longest <= 17 && queue.length >= 8, `${longest} waited, ${queue.length} in the end`)
  })

test('a flood of one merchant through every worker leaves room for the calls of another, which is at one of them', () => {
  const { backlogs, call, pass, admitted } = setUpWorkers(4)
  const refused = { others: 0 }
  pass(10_000, (ms) => {
    if (ms % 4 === 0) call(backlogs[(ms / 4) % 4] ?? assert.fail(), 'the flood')
    // Ten a second. Until the queue of the first quarter of a second is done nobody is admitted.
    if (ms > 2000 && ms % 100 === 0 && !call(backlogs[3] ?? assert.fail(), 'another')) refused.others++
  })
  assert.equal(refused.others, 0)
  assert.equal(admitted.get('another'), 80)
  assert.ok((admitted.get('the flood') ?? 0) > 380, String(admitted.get('the flood')))
})

test('a merchant that floods has a half of the queue while it is alone, and a quarter while another one calls, at whichever worker', () => {
  const { backlogs, queue, call, pass } = setUpWorkers(2)
  const [first = assert.fail(), second = assert.fail()] = backlogs
  /** The most writes of the flood that wait, once those that came before are done. */
  const flood = (ms: number, everyMs: number): number => {
    let most = 0
    pass(ms, (at) => {
      if (at % 4 === 0) call(first, 'the flood')
      if (at % everyMs === 0) call(second, 'another')
      if (at > 4000) most = Math.max(most, queue.filter(({ owner }) => owner === 'the flood').length)
    })
    return most
  }
  assert.equal(flood(8000, Infinity), 17)
  const beside = flood(8000, 2000)
  // Of the 25 that it completes in half a second.
  assert.ok(beside <= 8 && beside >= 6, String(beside))
  // Ten seconds after the last call of the other.
  assert.equal(flood(14_000, Infinity), 17)
})

test('a worker refuses when the queue before its own connections is too long, though the others are fast', () => {
  let at = 0
  const memory = allocateWaitingWrites(2)
  const [slow, fast] = [0, 1].map((worker) => makeCommitBacklog({ waitMs: 500, now: () => at, memory, worker }))
  if (slow === undefined || fast === undefined) assert.fail()
  for (let n = 0; n < 20; n++) slow.writeStarted(null)
  for (let ms = 1; ms <= 600; ms++) {
    at++
    fast.writeStarted(null)
    fast.writeEnded(null)
    if (ms % 100 === 0) slow.writeEnded(null)
    slow.isTooLong()
  }
  for (let n = 0; n < 6; n++) slow.writeStarted(null)
  assert.deepEqual([slow.isTooLong(), fast.isTooLong()], [true, false])
})

test('a merchant has no share while the store is fast or its speed is not known, and what a worker waited for is forgotten when it ends', () => {
  const { memory, backlogs, call, pass } = setUpWorkers(2)
  const [first, second] = backlogs
  if (first === undefined || second === undefined) assert.fail()
  for (let n = 0; n < 500; n++) assert.equal(call(second, 'a merchant'), true)
  pass(600, () => void first.isTooLong())
  assert.deepEqual([first.isTooLong(), first.isShareTaken('a merchant'), first.isShareTaken('another')], [true, true, false])
  forgetWaitingWrites(memory, 1)
  assert.deepEqual([first.isTooLong(), first.isShareTaken('a merchant')], [false, false])
})

test('a place counts until it is given back, once, for its owner and in the queue', () => {
  const { backlog, begin, complete } = setUp()
  begin(40)
  complete(40, 20)
  const places = Array.from({ length: 17 }, () => backlog.takePlace('a merchant'))
  assert.ok(!places.includes(null))
  assert.deepEqual([backlog.takePlace('a merchant'), backlog.isShareTaken('another'), backlog.isTooLong()], [null, false, false])
  for (const place of [places[0], places[0], places[1]]) place?.release()
  assert.deepEqual(
    [1, 2, 3].map(() => backlog.takePlace('a merchant') === null),
    [false, false, true],
  )
  // Nothing was written.
  assert.equal(backlog.waitingWrites(), 0)
})

test('a write that is handed over takes the place of its call, so a call counts once', () => {
  const { backlog, begin, complete } = setUp()
  begin(40)
  complete(40, 20)
  for (let n = 0; n < 17; n++) {
    const place = backlog.takePlace('a merchant') ?? assert.fail(`refused after ${n}`)
    place.release()
    backlog.writeStarted('a merchant')
  }
  assert.deepEqual([backlog.waitingWrites(), backlog.takePlace('a merchant')], [17, null])
})

test('a call that waits for something else than the store loses its place after a quarter of a second', () => {
  const { backlog, begin, complete, pass } = setUp()
  begin(40)
  complete(40, 20)
  const places = Array.from({ length: 17 }, () => backlog.takePlace('a merchant'))
  pass(249)
  assert.equal(backlog.isShareTaken('a merchant'), true)
  pass(1)
  assert.equal(backlog.isShareTaken('a merchant'), false)
  // What it gives back at its end it no longer has.
  for (const place of places) place?.release()
  for (let n = 0; n < 17; n++) assert.notEqual(backlog.takePlace('a merchant'), null)
  assert.equal(backlog.takePlace('a merchant'), null)
})

test('places without a write are no measure of the speed: while a network does not respond nothing is refused for the store', () => {
  const { backlog, pass } = setUp()
  for (let n = 0; n < 500; n++) {
    assert.notEqual(backlog.takePlace('a merchant'), null)
    pass(5)
  }
  assert.equal(backlog.isTooLong(), false)
})

test('somebody who called a month ago is not another caller of now', () => {
  const writes = makeWaitingWrites(allocateWaitingWrites(1), 0)
  const dayMs = 86_400_000
  const isAnotherSeenAfter = (ms: number): boolean => writes.isAnotherSeen('a merchant', { nowMs: 5 * dayMs + ms, ms: 10_000 })
  writes.callerSeen('another', 5 * dayMs)
  assert.deepEqual([0, 9999, 10_001, 30 * dayMs].map(isAnotherSeenAfter), [true, true, false, false])
})
