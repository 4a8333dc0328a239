import assert from 'node:assert/strict'
import { test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'

import { testPan } from '../testing/pans.fixture.ts'
import { createTestPipeline, pipelineMerchantId, refusing, request } from '../testing/pipeline.fixture.ts'
import { makeCommitBacklog } from './rate-limits/commit-backlog.ts'

const create = { id: 'q', method: 'cards.create', params: { card: { number: testPan, expire: '0399' }, save: true } }
const check = { id: 5, method: 'cards.check', params: { token: '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm' } }

/** A queue whose places are counted as they are taken and given back. */
function countPlaces() {
  const held: string[] = []
  const owners: string[] = []
  const takeWritePlace = (owner: string) => {
    held.push(owner)
    owners.push(owner)
    return { release: () => void held.splice(0, 1) }
  }
  return { held, owners, takeWritePlace }
}

test('a call that changes something has a place in the queue while it runs, and gives it back however it ends', async () => {
  const ends: [name: string, run: () => unknown][] = [
    ['result, without a write', () => ({})],
    ['refusal', () => Promise.reject(new RpcError('cardNotFound'))],
    ['fault', () => Promise.reject(new Error('unexpected'))],
    ['a result that has no reply', () => ({ count: 1n })],
  ]
  for (const [name, run] of ends) {
    const { held, owners, takeWritePlace } = countPlaces()
    const during: number[] = []
    const { answer } = createTestPipeline({ takeWritePlace }, () => {
      during.push(held.length)
      return run()
    })
    await answer(request(create))
    assert.deepEqual([during, held, owners], [[1], [], [`browser ${pipelineMerchantId}`]], name)
    // One after the other, in a batch too.
    await answer(request([create, create]))
    assert.deepEqual([during, held], [[1, 1, 1], []], name)
  }
})

test('a call that is refused after its place was taken gives it back, and one that is refused before or reads takes none', async () => {
  const limited = { check: refusing('addressLimit') }
  const cases: [name: string, places: number, body: unknown, options: Parameters<typeof createTestPipeline>[0]][] = [
    ['limits', 1, create, { limits: limited }],
    ['params', 1, { ...create, params: {} }, {}],
    ['wrong password', 0, create, {}],
    ['read', 0, check, {}],
    ['unknown method', 0, { ...create, method: 'cards.none' }, {}],
  ]
  for (const [name, places, body, options] of cases) {
    const { held, owners, takeWritePlace } = countPlaces()
    const { answer } = createTestPipeline({ takeWritePlace, ...options })
    await answer(request(body, name === 'wrong password' ? { xAuth: `${pipelineMerchantId}:wrong` } : {}))
    assert.deepEqual([owners.length, held], [places, []], name)
  }
})

test('calls that are begun in one turn of the event loop count before they write: no more of them are admitted than the queue has places', async () => {
  let at = 0
  const backlog = makeCommitBacklog({ waitMs: 500, now: () => at })
  for (let n = 0; n < 40; n++) backlog.writeStarted(null)
  // Fifty writes a second: the queue of such a store has 32 places, and one merchant a half of them.
  for (let n = 0; n < 40; n++) {
    at += 20
    backlog.writeEnded(null)
  }
  const { answer, called } = createTestPipeline({
    isWriteShed: backlog.isTooLong,
    isWriteShareTaken: backlog.isShareTaken,
    takeWritePlace: backlog.takePlace,
  })
  const replies = Array.from({ length: 100 }, () => answer(request(create)))
  for (const reply of replies) await reply
  assert.equal(called.filter(({ error }) => error === 'overloaded').length, 83)
  // All of them have ended, so all places are free again.
  assert.notEqual(backlog.takePlace('another'), null)
  await answer(request(create))
  assert.equal(called.at(-1)?.error, null)
})
