import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeRounds } from './rounds.ts'

/** A clock whose sleeps end when the test says so. */
function makeHand() {
  const sleepers: (() => void)[] = []
  const sleep = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      sleepers.push(resolve)
      if (signal.aborted) reject(new Error('aborted'))
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
  return { clock: { now: () => 0, moment: () => ({ wallMs: 0, monotonicMs: 0, bootId: '' }), sleep }, sleepers }
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

test('a run never meets itself, one that fails is told and followed by the next, and after the stop there is none', async () => {
  const { clock, sleepers } = makeHand()
  const faults: unknown[] = []
  const runs: PromiseWithResolvers<null>[] = []
  const run = (): Promise<unknown> => {
    const pending = Promise.withResolvers<null>()
    runs.push(pending)
    return pending.promise
  }
  const rounds = makeRounds({ clock, everyMs: 1000, run, failed: (err) => faults.push(err) })
  sleepers[0]?.()
  await settle()
  assert.deepEqual([runs.length, sleepers.length], [1, 1], 'nobody sleeps for the next while one is under way')
  runs[0]?.reject(new Error('no'))
  await settle()
  sleepers[1]?.()
  await settle()
  assert.deepEqual([runs.length, faults.length], [2, 1])
  let stopped = false
  const stopping = rounds.stop().then(() => (stopped = true))
  await settle()
  assert.equal(stopped, false, 'the stop waits for the run under way')
  runs[1]?.resolve(null)
  await stopping
  assert.equal(runs.length, 2)
})

test('a stop between two runs ends the sleep', async () => {
  const { clock } = makeHand()
  await makeRounds({ clock, everyMs: 1000, run: () => Promise.resolve(), failed: () => undefined }).stop()
})

test('a run is told that the rounds are to end', async () => {
  const { clock, sleepers } = makeHand()
  const run = (stopping: AbortSignal): Promise<void> => new Promise((resolve) => stopping.addEventListener('abort', () => resolve()))
  const rounds = makeRounds({ clock, everyMs: 1000, run, failed: (err) => assert.fail(String(err)) })
  sleepers[0]?.()
  await settle()
  await rounds.stop()
})
