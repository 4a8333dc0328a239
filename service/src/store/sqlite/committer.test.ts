import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { startCommitter } from './committer.ts'

const program = new URL('./dying-worker.fixture.ts', import.meta.url)

test('a close ends when the worker dies during it, and the batch in progress is reported as lost', async () => {
  const lost = Promise.withResolvers<Error>()
  const committer = await startCommitter({ path: 'dies', maxPages: null }, lost.resolve, { program })
  void committer.write('dropLimits', { before: 0 })
  await committer.close(600_000)
  assert.match((await lost.promise).message, /commit worker ended/)
})

test('a close after the worker died returns at once', async () => {
  const lost = Promise.withResolvers<Error>()
  const committer = await startCommitter({ path: 'dies', maxPages: null }, lost.resolve, { program })
  void committer.write('dropLimits', { before: 0 })
  await lost.promise
  await committer.close(600_000)
})

test('a worker that does not end is waited for until the deadline, and then the close rejects', async () => {
  const committer = await startCommitter({ path: 'silent', maxPages: null }, (cause) => assert.fail(cause), { program })
  void committer.write('dropLimits', { before: 0 })
  await assert.rejects(committer.close(50), StoreOutcomeUnknown)
})

test('while the disk does not respond, the write in progress ends as unknown, those behind it and later ones as not done', async () => {
  const limits = { stuckMs: 40, queueMs: 80, readMs: 100, writeMs: 100 }
  const committer = await startCommitter({ path: 'silent', maxPages: null }, (cause) => assert.fail(cause), { program, limits })
  const inProgress = committer.write('dropLimits', { before: 0 })
  await new Promise((resolve) => setImmediate(resolve))
  const behind = committer.write('dropLimits', { before: 0 })
  await assert.rejects(behind, StoreUnavailable)
  await assert.rejects(inProgress, StoreOutcomeUnknown)
  await assert.rejects(committer.write('dropLimits', { before: 0 }), StoreUnavailable)
  await assert.rejects(committer.close(50), StoreOutcomeUnknown)
})

test('the writes of background jobs share no commit, neither with those of calls nor with each other, and go behind those that wait', async () => {
  const echo = new URL('./echo-worker.fixture.ts', import.meta.url)
  const committer = await startCommitter({ path: 'none', maxPages: null }, (cause) => assert.fail(cause), { program: echo })
  const order: string[] = []
  const write = async (name: string): Promise<unknown> => {
    const batch = await committer.write(name, {})
    order.push(name)
    return batch
  }
  const batches = await Promise.all(['resealCards', 'insertCard', 'sweepCards', 'updateCard'].map(write))
  assert.deepEqual(batches, [['resealCards'], ['insertCard', 'updateCard'], ['sweepCards'], ['insertCard', 'updateCard']])
  assert.deepEqual(order, ['insertCard', 'updateCard', 'resealCards', 'sweepCards'])
  await committer.close(1000)
})

test('a write of a background job does not wait for ever behind calls that never end', async () => {
  const echo = new URL('./echo-worker.fixture.ts', import.meta.url)
  const committer = await startCommitter({ path: 'none', maxPages: null }, (cause) => assert.fail(cause), { program: echo })
  let isDone = false
  const background = committer.write('resealCards', {}).then(() => (isDone = true))
  let calls = 0
  const call = async (): Promise<void> => {
    for (; !isDone; calls++) await committer.write('insertCard', {})
  }
  await Promise.all([background, ...Array.from({ length: 8 }, call)])
  assert.ok(calls > 8, `${calls} calls were made meanwhile`)
  await committer.close(1000)
})
