import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeTurnBudget } from './turn-budget.ts'

/** A budget with a clock and an event loop that the test moves; each request takes `ms`. */
function setUp(ms: number) {
  let at = 0
  const next: (() => void)[] = []
  const inTurn: (() => void)[] = []
  const begun: number[] = []
  const budget = makeTurnBudget({ now: () => at, nextTurn: (run) => next.push(run), afterCalls: (run) => inTurn.push(run) })
  const arriveFrom = (client: string, ...requests: number[]): void => {
    for (const request of requests)
      budget.run(client, () => {
        at += ms
        begun.push(request)
      })
  }
  const arrive = (...requests: number[]): void => arriveFrom('a', ...requests)
  /** Runs what was left for the next turn; returns how long it took. */
  const turn = (): number => {
    const before = at
    for (const run of next.splice(0)) run()
    for (let run = inTurn.shift(); run !== undefined; run = inTurn.shift()) run()
    return at - before
  }
  return { arrive, arriveFrom, turn, begun, asked: () => next.length, pass: (by: number) => (at += by) }
}

test('a request is begun at once while its turn has time, and afterwards in later turns, each as short, in order', () => {
  const { arrive, turn, begun, asked } = setUp(4)
  arrive(1, 2, 3, 4, 5, 6, 7, 8)
  assert.deepEqual(begun, [1, 2, 3])
  assert.equal(turn(), 12)
  assert.deepEqual(begun, [1, 2, 3, 4, 5, 6])
  arrive(9)
  assert.equal(begun.at(-1), 6)
  turn()
  assert.deepEqual(begun, [1, 2, 3, 4, 5, 6, 7, 8, 9])
  turn()
  arrive(10)
  assert.equal(begun.at(-1), 10)
  turn()
  assert.equal(asked(), 0)
})

test('clients take turns: one request waits for one of each other client, however many of them wait', () => {
  const { arriveFrom, turn, begun } = setUp(10)
  arriveFrom('a', 1, 2, 3, 4, 5)
  arriveFrom('b', 11, 12)
  arriveFrom('c', 21)
  while (begun.length < 8) turn()
  assert.deepEqual(begun, [1, 2, 11, 21, 3, 12, 4, 5])
})

test('requests that come one by one never wait, however long they take', () => {
  const { arrive, turn, begun, pass } = setUp(300)
  for (let request = 1; request <= 5; request++) {
    arrive(request)
    assert.equal(begun.at(-1), request)
    turn()
    pass(1000)
  }
})

test('every one of many requests is begun once', () => {
  const { arrive, turn, begun, asked } = setUp(1)
  const requests = Array.from({ length: 5000 }, (_, at) => at)
  arrive(...requests.slice(0, 4000))
  for (let turns = 0; turns < 200; turns++) turn()
  arrive(...requests.slice(4000))
  while (asked() > 0) turn()
  assert.deepEqual(begun, requests)
})
