import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'

import { makeStaticResult, staticResultOf } from '../../operations/static-result.ts'
import { createTestPipeline } from '../../testing/pipeline.fixture.ts'
import { listenOnFreePort, post } from '../../testing/raw.fixture.ts'
import { gzipPieces, plainPieces } from './shared-body.ts'

const document = makeStaticResult({ methods: Array.from({ length: 2000 }, (_, n) => ({ name: `method ${String(n)}`, text: 'оʻ' })) })
const result = staticResultOf(document) ?? assert.fail('it was just made')

test('the gzip member of a shared body is the same text as its plain pieces, whatever the envelope', () => {
  for (const id of ['null', '1', `"${'\\u0001'.repeat(128)}"`, '"сўм"']) {
    const echoed: unknown = JSON.parse(id)
    const body = [`{"jsonrpc":"2.0","id":${id},"result":`, result, '}']
    const plain = Buffer.concat(plainPieces(body)).toString()
    assert.deepEqual(JSON.parse(plain), { jsonrpc: '2.0', id: echoed, result: document })
    assert.equal(gunzipSync(Buffer.concat(gzipPieces(body))).toString(), plain)
  }
  const long = ['x'.repeat(200_000), result, result]
  assert.equal(gunzipSync(Buffer.concat(gzipPieces(long))).toString(), Buffer.concat(plainPieces(long)).toString())
})

test('a batch that contains a static result has all its replies in order', async () => {
  const { answer } = createTestPipeline({}, (method) => (method === 'rpc.discover' ? document : { method }))
  const { open, close } = await listenOnFreePort({ handle: answer })
  const client = await open()
  client.write(
    post('/api', '[{"id":1,"method":"rpc.discover"},{"id":2,"method":"none"},{"id":3,"method":"rpc.discover"}]', ['Accept-Encoding: gzip']),
  )
  const { headers, body } = await client.next()
  const replies = JSON.parse(body) as { id: number; result?: unknown; error?: { reason: string } }[]
  assert.deepEqual(
    replies.map(({ id, result, error }) => [id, result ?? error?.reason]),
    [
      [1, document],
      [2, 'method_not_found'],
      [3, document],
    ],
  )
  assert.equal(headers.get('content-encoding'), undefined)
  await close()
})

test('a static result is sent compressed to those who accept gzip, and the same bytes of it are in every reply', async () => {
  const { open, close } = await listenOnFreePort({ handle: createTestPipeline({}, () => document).answer })
  const client = await open()
  const sizes: number[] = []
  for (const encoding of ['gzip', 'br;q=1.0, gzip;q=0.8', 'identity', 'gzip;q=0', 'br']) {
    client.write(post('/api', '{"id":7,"method":"rpc.discover"}', [`Accept-Encoding: ${encoding}`]))
    const { headers } = await client.next()
    sizes.push(Number(headers.get('content-length')))
    assert.equal(headers.get('cache-control'), 'no-store', 'so no Vary is needed')
    assert.equal(headers.get('content-encoding'), sizes.length <= 2 ? 'gzip' : undefined)
  }
  const [zipped = NaN, second, plain = NaN] = sizes
  assert.equal(second, zipped)
  assert.ok(zipped < plain / 4, `${String(zipped)} of ${String(plain)} bytes`)
  assert.deepEqual(sizes.slice(3), [plain, plain])
  await close()
})
