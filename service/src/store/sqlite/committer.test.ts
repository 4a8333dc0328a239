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
