import assert from 'node:assert/strict'
import { test } from 'node:test'

import { maxBatchTimeMs } from '@tessera/contract/envelope'

import type { ApiPipelineOptions } from './pipeline.ts'
import { createTestPipeline, request, type PipelineRun } from '../testing/pipeline.fixture.ts'
import { JsonText } from './reader/json-text.ts'
import { testPan } from '../testing/pans.fixture.ts'

const create = { method: 'cards.create', params: { card: { number: testPan, expire: '0399' }, save: true } }
const token = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'
const check = { method: 'cards.check', params: { token } }

test('on a stop, the running call of a batch finishes and no later one starts', async () => {
  const stopping = new AbortController()
  const { ran, begun, release, replies } = begin(
    [1, 2, 3].map((id) => ({ ...create, id })),
    { stopping: stopping.signal },
  )
  await begun(1)
  stopping.abort()
  release()
  assert.deepEqual(await replies(), [
    [1, null, null],
    [2, 'draining', 1000],
    [3, 'draining', 1000],
  ])
  assert.equal(ran.length, 1)
})

test('a call of a batch that has not started when the batch’s time is over is not run and gets a retryable error', async () => {
  const slept: number[] = []
  let ring = (): void => undefined
  const sleep = (ms: number): Promise<void> => {
    slept.push(ms)
    return new Promise((resolve) => (ring = resolve))
  }
  const { ran, begun, release, replies } = begin(
    [1, 2, 3].map((id) => ({ ...check, id })),
    { sleep },
  )
  await begun(1)
  release()
  await begun(2)
  ring()
  await settled()
  release()
  assert.deepEqual(await replies(), [
    [1, null, null],
    [2, null, null],
    [3, 'batch_time_over', 1000],
  ])
  assert.deepEqual([slept, ran.length], [[maxBatchTimeMs], 2])
})

test('the timer of a batch ends with it', async () => {
  const signals: AbortSignal[] = []
  const sleep = (_ms: number, signal: AbortSignal): Promise<void> => {
    signals.push(signal)
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut short'))))
  }
  const { release, begun, replies } = begin([{ ...check, id: 1 }], { sleep })
  await begun(1)
  assert.equal(signals[0]!.aborted, false)
  release()
  await replies()
  assert.equal(signals[0]!.aborted, true)
})

test('the card number of a waiting call is wiped the moment it is refused, while another call is still running', async (t) => {
  const ends: [name: string, end: (stopping: AbortController, ring: () => void) => void][] = [
    ['stop', (stopping) => stopping.abort()],
    ['time', (_stopping, ring) => ring()],
  ]
  for (const [name, end] of ends) {
    const copy = t.mock.method(JsonText.prototype, 'copy')
    const stopping = new AbortController()
    let ring = (): void => undefined
    const sleep = (): Promise<void> => new Promise((resolve) => (ring = resolve))
    const { begun, release, replies } = begin(
      [
        { ...check, id: 1 },
        { ...create, id: 2 },
        { ...create, id: 3 },
      ],
      {
        stopping: stopping.signal,
        sleep,
      },
    )
    await begun(1)
    const held = copy.mock.calls.map(({ result }) => result!)
    assert.deepEqual(held.map(isWiped), [false, false], name)
    end(stopping, ring)
    await settled()
    assert.deepEqual(held.map(isWiped), [true, true], name)
    release()
    await replies()
    copy.mock.restore()
  }
})

test('the card number of a call that will be refused, or that takes none, does not wait for its turn', async (t) => {
  const copy = t.mock.method(JsonText.prototype, 'copy')
  const { params } = create
  const useless = [
    { ...create, params: { ...params, cvv: '123' } },
    { ...create, jsonrpc: '3.0' },
    { method: 'cards.steal', params },
    { method: 'cards.check', params: { token, ...params } },
    { params },
  ]
  const { begun, release, replies } = begin([{ ...check, id: 1 }, ...useless, { ...create, id: 9 }])
  await begun(1)
  assert.deepEqual(
    copy.mock.calls.map(({ result }) => isWiped(result!)),
    [true, true, true, true, true, false],
  )
  release()
  for (const call of [2, 3]) {
    await begun(call)
    release()
  }
  assert.deepEqual(
    (await replies()).map(([, reason]) => reason),
    [null, 'sensitive_authentication_data', 'invalid_version', 'method_not_found', null, 'method_missing', null],
  )
})

/** A batch whose calls complete when `release` is called. */
function begin(calls: readonly object[], parts: Partial<ApiPipelineOptions> = {}) {
  let release = (): void => undefined
  const app: PipelineRun = createTestPipeline(parts, () => new Promise((resolve) => (release = () => resolve({}))))
  const answered = app.answer(request(calls))
  return {
    ran: app.ran,
    release: () => release(),
    begun: async (count: number) => {
      while (app.ran.length < count) await settled()
    },
    replies: async () =>
      (JSON.parse((await answered).text) as { id: unknown; error?: { reason: string; retry_after?: number } }[]).map(
        ({ id, error }) => [id, error?.reason ?? null, error?.retry_after ?? null] as const,
      ),
  }
}

function isWiped(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
