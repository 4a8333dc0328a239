import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock, type HandClock } from '../../testing/clock.fixture.ts'

import { makeSignInQueue, type QueuePlace, type SignInQueueSettings } from './sign-in-queue.ts'

const settings: SignInQueueSettings = { waitingMax: 64, waitingPerLoginMax: 8, waitingPerAddressMax: 4, loadedFrom: 2, restShare: 0 }

/** A queue whose hashes end when the test says so. */
function openLine(change: Partial<SignInQueueSettings> = {}) {
  const clock: HandClock = makeHandClock()
  const queue = makeSignInQueue({ clock, now: () => clock.moment().monotonicMs, settings: { ...settings, ...change } })
  const started: string[] = []
  const refused: string[] = []
  let end: (() => void) | null = null
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return {
    queue,
    clock,
    started,
    refused,
    join(name: string, place: Partial<QueuePlace>): void {
      const { lane = 'unknown', address = name, block = address, login = name, signal } = place
      const work = (): Promise<void> => {
        started.push(name)
        return new Promise((resolve) => (end = resolve))
      }
      queue.run({ lane, address, block, login, signal }, work).catch(() => refused.push(name))
    },
    /** Ends the hash that runs; it took `ms`. */
    async endOne(ms = 0): Promise<void> {
      clock.advance(ms)
      end?.()
      await turn()
    },
    turn,
  }
}

/** Flooders of one login from several addresses; each comes back as soon as it was served. */
async function flood(line: ReturnType<typeof openLine>, turns: number): Promise<void> {
  for (let n = 0; n < turns; n++) {
    line.join(`flood ${n}`, { address: `203.0.113.${n % 8}`, block: '203.0.113.0/24', login: n % 2 === 0 ? 'victim' : `guess ${n}` })
    if (n > 12) await line.endOne(400)
  }
}

test('in a flood of one login and of many, the next turns go to another login, to the flooded one from elsewhere, and to a known device first', async () => {
  const line = openLine()
  await flood(line, 60)
  const before = line.started.length
  line.join('another login', {})
  line.join('the flooded login', { login: 'victim' })
  line.join('a known device', { lane: 'known', address: '203.0.113.1', block: '203.0.113.0/24', login: 'victim' })
  for (let n = 0; n < 5; n++) await line.endOne(400)
  const next = line.started.slice(before, before + 5)
  assert.equal(next[0], 'a known device')
  for (const name of ['another login', 'the flooded login']) assert.ok(next.includes(name), `${name} in ${next.join(', ')}`)
  assert.deepEqual(line.refused.includes('another login'), false)
})

test('an unknown device that shares both the address and the login of the flood has no advantage (control)', async () => {
  const line = openLine()
  await flood(line, 60)
  const before = line.started.length
  line.join('the same', { address: '203.0.113.0', block: '203.0.113.0/24', login: 'victim' })
  for (let n = 0; n < 5; n++) await line.endOne(400)
  assert.ok(line.started.length > before && !line.started.includes('the same'), line.started.slice(before).join(', '))
})

test('the line is bounded in total, for a login and for an address, and a newcomer takes the place of the busiest', async () => {
  const line = openLine({ waitingMax: 6, waitingPerLoginMax: 5, waitingPerAddressMax: 3 })
  for (let n = 0; n < 5; n++) line.join(`same address ${n}`, { address: '203.0.113.1', login: `login ${n}` })
  await line.turn()
  assert.deepEqual(line.refused, ['same address 4'])
  for (let n = 0; n < 3; n++) line.join(`other ${n}`, {})
  line.join('newcomer', {})
  await line.turn()
  assert.deepEqual([line.queue.waitingCount(), line.refused], [6, ['same address 4', 'same address 1']])
  const known = openLine()
  for (let n = 0; n < 6; n++) known.join(`known ${n}`, { lane: 'known', login: 'one' })
  await known.turn()
  assert.deepEqual(known.refused, ['known 4', 'known 5'])
})

test('known devices do not keep unknown ones out', async () => {
  const line = openLine()
  line.join('stranger', {})
  for (let n = 0; n < 12; n++) line.join(`known ${n}`, { lane: 'known', login: `user ${n}` })
  line.join('second stranger', {})
  for (let n = 0; n < 6; n++) await line.endOne()
  assert.ok(line.started.includes('second stranger'), line.started.join(', '))
})

test('while others wait, there is a rest after each hash, but not for a known device', async () => {
  const line = openLine({ restShare: 1 })
  for (let n = 0; n < 4; n++) line.join(`stranger ${n}`, {})
  await line.endOne(400)
  assert.deepEqual([line.started.length, line.clock.isSleeping(400), line.queue.isLoaded()], [1, true, true])
  line.join('known', { lane: 'known' })
  await line.turn()
  assert.equal(line.started[1], 'known')
  await line.endOne(400)
  await line.turn()
  assert.equal(line.started.length, 3)
  line.clock.advance(60_000)
  await line.turn()
  assert.equal(line.queue.isLoaded(), false)
})

test('who has gone away leaves the line, and who waited too long is refused', async () => {
  const line = openLine()
  const left = new AbortController()
  line.join('running', {})
  line.join('gone', { signal: left.signal })
  line.join('late', {})
  left.abort()
  await line.endOne(21_000)
  assert.deepEqual([line.started, line.refused], [['running'], ['gone', 'late']])
})
