import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createTestApp } from '../testing/test-app.fixture.ts'

import { listWorkerJobs, repeat } from './background-jobs.ts'
import type { ComposedServices } from './services.ts'

/** A clock whose sleeps the test ends. */
function createHandClock() {
  const sleepers: (() => void)[] = []
  const sleep = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      sleepers.push(resolve)
      if (signal.aborted) reject(new Error('aborted'))
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
  return { clock: { now: () => 0, moment: () => ({ wallMs: 0, monotonicMs: 0, bootId: '' }), sleep }, sleepers }
}

async function flush(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

test('a job never overlaps itself, continues after an error, and does not run after stop', async () => {
  const { clock, sleepers } = createHandClock()
  const faults: unknown[] = []
  const runs: PromiseWithResolvers<null>[] = []
  const run = (): Promise<unknown> => {
    const pending = Promise.withResolvers<null>()
    runs.push(pending)
    return pending.promise
  }
  const repeated = repeat({ clock, everyMs: 1000, run, onError: (err) => faults.push(err) })
  sleepers[0]?.()
  await flush()
  assert.deepEqual([runs.length, sleepers.length], [1, 1], 'the next sleep begins when the run has ended')
  runs[0]?.reject(new Error('no'))
  await flush()
  sleepers[1]?.()
  await flush()
  assert.deepEqual([runs.length, faults.length], [2, 1])
  let stopped = false
  const stopping = repeated.stop().then(() => (stopped = true))
  await flush()
  assert.equal(stopped, false, 'stop waits for the run in progress')
  runs[1]?.resolve(null)
  await stopping
  assert.equal(runs.length, 2)
})

test('stop between two runs ends the sleep', async () => {
  const { clock } = createHandClock()
  await repeat({ clock, everyMs: 1000, run: () => Promise.resolve(), onError: () => undefined }).stop()
})

test('a run gets a signal that is aborted by stop', async () => {
  const { clock, sleepers } = createHandClock()
  const run = (stopping: AbortSignal): Promise<void> => new Promise((resolve) => stopping.addEventListener('abort', () => resolve()))
  const repeated = repeat({ clock, everyMs: 1000, run, onError: (err) => assert.fail(String(err)) })
  sleepers[0]?.()
  await flush()
  await repeated.stop()
})

test('a worker deletes the calls beyond the maximum of the merchants whose calls it has recorded', async (t) => {
  const app = await createTestApp(t)
  const recorder = { ...app.recorder, deleteOld: () => Promise.resolve(7) }
  const deleted = (isTrusted: boolean): Promise<number> | undefined => {
    const services = { ...app, recorder, clockGuard: { ...app.clockGuard, isTrusted: () => isTrusted } } as unknown as ComposedServices
    const jobs = listWorkerJobs(services, { sendAuditHeads: () => undefined })
    return jobs.find(({ event }) => event === 'requests_deleted')?.run(AbortSignal.abort())
  }
  assert.deepEqual([await deleted(true), await deleted(false)], [7, 0])
})
