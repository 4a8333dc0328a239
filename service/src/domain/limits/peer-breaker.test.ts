import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makePeerBreaker, type PeerBreaker, type PeerBreakerCall, type PeerCallOutcome } from './peer-breaker.ts'

const slowMs = 3000
const pauseMs = 5000

function openBreaker(): { breaker: PeerBreaker; time: { ms: number }; changes: string[] } {
  const time = { ms: 1000 }
  const changes: string[] = []
  const breaker = makePeerBreaker({ now: () => time.ms, settings: { slowMs, pauseMs }, onChange: (state) => changes.push(state) })
  return { breaker, time, changes }
}

function begin(breaker: PeerBreaker, count: number): PeerBreakerCall[] {
  return Array.from({ length: count }, () => breaker.begin())
}

function end(calls: readonly PeerBreakerCall[], outcome: PeerCallOutcome): void {
  for (const call of calls) call.end(outcome)
}

test('calls that do not come to an end open it when they become slow, although those of before succeeded', () => {
  const { breaker, time, changes } = openBreaker()
  end(begin(breaker, 1000), 'succeeded')
  begin(breaker, 10)
  time.ms += slowMs - 1
  assert.equal(breaker.waitMs(), 0)
  time.ms += 1
  assert.deepEqual([breaker.waitMs(), breaker.state, changes], [pauseMs, 'open', ['open']])
})

test('half of the last twenty calls have to fail, and at least ten calls have to be judged', () => {
  const { breaker } = openBreaker()
  end(begin(breaker, 9), 'failed')
  assert.equal(breaker.waitMs(), 0)
  end(begin(breaker, 11), 'ignored')
  assert.equal(breaker.waitMs(), 0)
  end(begin(breaker, 1), 'failed')
  assert.equal(breaker.waitMs(), pauseMs)

  const other = openBreaker().breaker
  for (let i = 0; i < 100; i++) end(begin(other, 1), i % 5 < 2 ? 'failed' : 'succeeded')
  assert.equal(other.waitMs(), 0)
})

test('a call that succeeds never opens it: the next one that fails does', () => {
  const { breaker } = openBreaker()
  end(begin(breaker, 9), 'failed')
  end(begin(breaker, 1), 'succeeded')
  assert.equal(breaker.waitMs(), 0)
  end(begin(breaker, 1), 'failed')
  assert.equal(breaker.waitMs(), pauseMs)
})

test('failures of more than half a minute ago do not count', () => {
  const { breaker, time } = openBreaker()
  end(begin(breaker, 9), 'failed')
  time.ms += 30_000
  end(begin(breaker, 9), 'failed')
  assert.equal(breaker.waitMs(), 0)
})

test('after the pause one call at a time is let through, and its success closes it', () => {
  const { breaker, time, changes } = openBreaker()
  end(begin(breaker, 10), 'failed')
  time.ms += pauseMs
  assert.equal(breaker.waitMs(), 0)
  const [probe] = begin(breaker, 1)
  assert.deepEqual([breaker.state, breaker.waitMs()], ['half_open', slowMs])
  probe?.end('succeeded')
  assert.deepEqual([breaker.state, breaker.waitMs(), changes], ['closed', 0, ['open', 'closed']])
})

test('an attempt to close that fails or is slow doubles the pause, to six times', () => {
  const { breaker, time } = openBreaker()
  end(begin(breaker, 10), 'failed')
  const pauses: number[] = []
  for (let attempt = 0; attempt < 4; attempt++) {
    time.ms += breaker.waitMs()
    const [probe] = begin(breaker, 1)
    if (attempt % 2 === 0) time.ms += slowMs
    else probe?.end('failed')
    pauses.push(breaker.waitMs())
  }
  assert.deepEqual(pauses, [10_000, 20_000, 30_000, 30_000])
})

test('an attempt to close that says nothing leaves the next call to find out', () => {
  const { breaker, time } = openBreaker()
  end(begin(breaker, 10), 'failed')
  time.ms += pauseMs
  end(begin(breaker, 1), 'ignored')
  assert.equal(breaker.waitMs(), 0)
  end(begin(breaker, 1), 'succeeded')
  assert.equal(breaker.state, 'closed')
})

test('calls of before it opened do not count after it closed', () => {
  const { breaker, time } = openBreaker()
  const stuck = begin(breaker, 30)
  end(begin(breaker, 10), 'failed')
  time.ms += pauseMs
  end(begin(breaker, 1), 'succeeded')
  end(stuck, 'failed')
  assert.equal(breaker.state, 'closed')
})

test('a system is failing after three failures in a row, or half a minute without a success, and each success that ends this is a recovery', () => {
  const { breaker, time } = openBreaker()
  const seen = () => [breaker.isFailing, breaker.recoveries]
  assert.deepEqual(seen(), [false, 0])
  end(begin(breaker, 1), 'ignored')
  assert.deepEqual(seen(), [false, 0])
  end(begin(breaker, 20), 'succeeded')
  assert.deepEqual(seen(), [false, 1], 'the first success says that it responds')
  end(begin(breaker, 2), 'failed')
  end(begin(breaker, 1), 'succeeded')
  assert.deepEqual(seen(), [false, 1], 'two failures are no outage')
  end(begin(breaker, 3), 'failed')
  end(begin(breaker, 1), 'ignored')
  assert.deepEqual(seen(), [true, 1])
  end(begin(breaker, 2), 'succeeded')
  assert.deepEqual(seen(), [false, 2])
  end(begin(breaker, 20), 'succeeded')
  end(begin(breaker, 1), 'failed')
  time.ms += 29_999
  assert.deepEqual(seen(), [false, 2])
  time.ms += 1
  assert.deepEqual(seen(), [true, 2])
  end(begin(breaker, 1), 'succeeded')
  assert.deepEqual(seen(), [false, 3])
  begin(breaker, 3)
  time.ms += slowMs
  assert.deepEqual(seen(), [true, 3], 'slow calls are failures')
})

test('a system whose breaker is open is failing until an attempt to close succeeds', () => {
  const { breaker, time } = openBreaker()
  end(begin(breaker, 10), 'failed')
  time.ms += pauseMs
  end(begin(breaker, 1), 'failed')
  assert.deepEqual([breaker.isFailing, breaker.recoveries], [true, 0])
  time.ms += breaker.waitMs()
  end(begin(breaker, 1), 'succeeded')
  assert.deepEqual([breaker.isFailing, breaker.recoveries, breaker.state], [false, 1, 'closed'])
})
