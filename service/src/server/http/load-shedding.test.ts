import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeLoadShedder, type ShedConnection } from './load-shedding.ts'

test('clients that want 80 % of the capacity are never refused, nor while the process does not run for a moment', () => {
  const loop = setUp()
  const clients = loop.connect(80)
  for (let stops = 0; stops < 3; stops++) {
    loop.run(3000)
    loop.skip(300)
  }
  loop.run(3000)
  assert.equal(clients.refused, 0)
  assert.ok(clients.inTime > 0.98 * clients.replies, `${clients.inTime} of ${clients.replies} in time`)
  assert.equal(loop.shedder.paused(), 0)
})

test('calls that all arrive at once are not refused when the loop handles them within a second', () => {
  const loop = setUp()
  const clients = loop.connect(80, { isAtOnce: true })
  loop.run(10_000)
  assert.deepEqual({ refused: clients.refused, inTime: clients.inTime }, { refused: 0, inTime: clients.replies })
})

for (const count of [200, 500, 2000])
  test(`of ${count} clients that each want a call a second as many are served in time as the loop can handle`, () => {
    const loop = setUp()
    const clients = loop.connect(count)
    loop.run(12_000)
    const { inTime, refused } = clients
    assert.ok(inTime > 0.85 * 12 * loop.capacity, `${inTime} in time`)
    assert.ok(refused > 0 && refused < 0.3 * 12 * loop.capacity, `${refused} refused`)
    assert.ok(loop.longestTurnMs() < 50, `a turn of ${loop.longestTurnMs()} ms`)
    clients.close()
    const after = loop.connect(50)
    loop.run(3000)
    assert.deepEqual({ refused: after.refused, inTime: after.inTime }, { refused: 0, inTime: after.replies })
  })

test('every connection is read again when the overload is over, and when the server stops', () => {
  const loop = setUp()
  const clients = loop.connect(500)
  loop.run(5000)
  assert.ok(loop.shedder.paused() > 300)
  clients.stopSending()
  loop.run(10_000)
  assert.equal(loop.shedder.paused(), 0)
  assert.equal(loop.timers(), 0)

  const others = loop.connect(500)
  loop.run(5000)
  assert.ok(loop.shedder.paused() > 300)
  const { refused } = others
  loop.shedder.stop()
  assert.equal(loop.shedder.paused(), 0)
  loop.run(10_000)
  assert.equal(others.refused, refused)
})

test('connections on which nothing waits are read again within seconds after an overload, and their next calls are not refused', () => {
  const loop = setUp()
  const clients = loop.connect(500)
  loop.run(5000)
  const idle = loop.connect(5000)
  idle.stopSending()
  clients.close()
  assert.ok(loop.shedder.paused() >= 5000)
  loop.run(7000)
  assert.equal(loop.shedder.paused(), 0)
  idle.send(10)
  loop.run(900)
  assert.deepEqual([idle.replies, idle.refused], [10, 0])
})

test('many connections on which nothing waits do not have those behind them read all at once', () => {
  const loop = setUp()
  const clients = loop.connect(500)
  loop.run(5000)
  const idle = loop.connect(3000)
  idle.stopSending()
  const others = loop.connect(1500)
  others.stopSending()
  others.send(1500)
  clients.close()
  loop.run(20_000)
  assert.equal(loop.shedder.paused(), 0)
  assert.equal(others.replies + others.refused, 1500)
  assert.ok(others.refused > 500, `${others.refused} were refused`)
  assert.ok(loop.longestTurnMs() < 50, `a turn of ${loop.longestTurnMs()} ms`)
})

test('all that has waited too long is refused, up to the last one', () => {
  const loop = setUp()
  const clients = loop.connect(500, { isAtOnce: true })
  loop.run(1)
  clients.stopSending()
  loop.run(10_000)
  assert.equal(loop.shedder.paused(), 0)
  assert.ok(clients.longestMs < 2500, `a call was handled after ${clients.longestMs} ms`)
})

test('a connection that is about to be closed is read again, and it is said whether any was paused', () => {
  const loop = setUp()
  const clients = loop.connect(500)
  assert.deepEqual(clients.all.map((client) => loop.shedder.release(client)).includes(true), false)
  loop.run(5000)
  const paused = loop.shedder.paused()
  const client = clients.all.find(({ isPaused }) => isPaused)
  assert.ok(client !== undefined && loop.shedder.release(client))
  assert.deepEqual([client.isPaused, loop.shedder.paused()], [false, paused - 1])
})

/** An event loop with a clock of its own: timers, reading of the connections that are read, then calls for ten milliseconds. */
function setUp() {
  let at = 0
  let longestTurnMs = 0
  const timers = new Set<{ readonly ms: number; readonly run: () => void; next: number }>()
  const waiting: Client[] = []
  let clients: Client[] = []
  const shedder = makeLoadShedder({
    now: () => at,
    every(ms, run) {
      const timer = { ms, run, next: at + ms }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  })

  function turn(): void {
    const startedAt = at
    for (const timer of timers)
      if (timer.next <= at) {
        timer.next = at + timer.ms
        timer.run()
      }
    for (const client of clients) client.send(at)
    const ready = clients.filter((client) => client.hasUnread && !client.isPaused)
    for (const client of ready) read(client)
    const callsFrom = at
    for (let client = waiting.shift(); client !== undefined; client = at - callsFrom < 10 ? waiting.shift() : undefined) {
      shedder.begin()
      at += callMs
      client.receive(at, true)
    }
    longestTurnMs = Math.max(longestTurnMs, at - startedAt)
    if (at === startedAt) at++
  }

  function read(client: Client): void {
    // Others may have been read in the same turn.
    if (client.isPaused) return
    client.hasUnread = false
    if (shedder.admit(client)) waiting.push(client)
    else {
      at += callMs / 5
      client.receive(at, false)
    }
  }

  return {
    shedder,
    capacity: 1000 / callMs,
    connect(count: number, { isAtOnce = false } = {}) {
      const crowd = Array.from({ length: count }, (_, each) => new Client(at + (isAtOnce ? 0 : ((each * 618) % 1000) + 1)))
      for (const client of crowd) {
        shedder.open(client)
        client.onResume()
      }
      clients = [...clients, ...crowd]
      const sum = (of: (client: Client) => number): number => crowd.reduce((all, client) => all + of(client), 0)
      return {
        all: crowd,
        get replies() {
          return sum(({ replies }) => replies)
        },
        get inTime() {
          return sum(({ inTime }) => inTime)
        },
        /** Of the calls that were not refused. */
        get longestMs() {
          return Math.max(...crowd.map(({ longestMs }) => longestMs))
        },
        get refused() {
          return sum(({ refused }) => refused)
        },
        /** One call each. */
        send(calls: number) {
          for (const client of crowd.slice(0, calls)) Object.assign(client, { nextAt: at, isLast: true })
        },
        stopSending: () => crowd.forEach((client) => (client.nextAt = Infinity)),
        close() {
          clients = clients.filter((client) => !crowd.includes(client))
          for (const client of crowd) {
            client.destroyed = true
            shedder.close(client)
          }
        },
      }
    },
    run(ms: number) {
      for (const until = at + ms; at < until;) turn()
    },
    skip: (ms: number) => (at += ms),
    longestTurnMs: () => longestTurnMs,
    timers: () => timers.size,
  }
}

/** Sends its next call a second after the last one, or when the reply to that has come. */
class Client implements ShedConnection {
  destroyed = false
  isPaused = false
  hasUnread = false
  onResume = (): void => undefined
  replies = 0
  inTime = 0
  longestMs = 0
  refused = 0
  nextAt: number
  /** Whether its next call is its last. */
  isLast = false
  #sentAt = 0
  #isWaiting = false

  constructor(nextAt: number) {
    this.nextAt = nextAt
  }

  on(_event: 'resume', listener: () => void): void {
    this.onResume = listener
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  send(at: number): void {
    if (this.#isWaiting || this.nextAt > at) return
    this.#sentAt = this.nextAt
    if (this.isLast) this.nextAt = Infinity
    this.#isWaiting = this.hasUnread = true
  }

  receive(at: number, isResult: boolean): void {
    this.#isWaiting = false
    if (isResult) this.replies++
    else this.refused++
    if (isResult) this.longestMs = Math.max(this.longestMs, at - this.#sentAt)
    if (isResult && at - this.#sentAt <= 1000) this.inTime++
    if (this.nextAt !== Infinity) this.nextAt = Math.max(at, this.#sentAt + 1000)
  }
}

const callMs = 10.8
