import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createTestPipeline } from '../../testing/pipeline.fixture.ts'
import { listenOnFreePort, post } from '../../testing/raw.fixture.ts'
import type { HttpServerOptions } from './http-server.ts'
import type { CutReason } from './memory-budget.ts'

const discover = '{"id":1,"method":"rpc.discover"}'
/** Far more than the kernel takes for a connection on loopback whose client does not read. */
const large = { text: 'x'.repeat(16 * 1024 * 1024) }

test('a client that does not read its reply is cut off, and all that was held for it is released', async () => {
  const cut: CutReason[] = []
  const { http, open, close } = await start({ replyStallMs: 100, bufferedBytesMax: 1e9 }, { onCut: (reason) => cut.push(reason) })
  const client = await open()
  client.socket.pause()
  client.write(post('/api', discover))
  await until(() => cut.length > 0)
  assert.deepEqual(cut, ['reply_not_read'])
  await until(() => http.bufferedBytes() === 0)
  client.socket.destroy()
  await close()
})

test('requests on a connection with too many unread bytes are refused, and served again when they were read', async () => {
  const { http, open, close } = await start({ replyStallMs: 60_000, bufferedBytesMax: 1e9, bufferedBytesPerAddressMax: 1e9 })
  const client = await open()
  client.socket.removeAllListeners('data').pause()
  client.write(post('/api', discover))
  await until(() => http.bufferedBytes() > large.text.length)
  client.write(post('/api', discover))
  let received = ''
  client.socket.on('data', (bytes) => (received = (received + bytes.toString('latin1')).slice(-4096))).resume()
  await until(() => received.includes('connection_busy'))
  await until(() => http.bufferedBytes() === 0)
  client.write(post('/api', '{"id":1,"method":"none"}'))
  await until(() => received.includes('method_not_found'))
  client.socket.destroy()
  await close()
})

test('a batch whose replies are more than a connection may hold ends with refusals, and the first replies stay', async () => {
  const { answer } = createTestPipeline({}, () => ({ text: 'x'.repeat(300_000) }))
  const { open, close } = await listenOnFreePort({ handle: answer })
  const client = await open()
  client.write(post('/api', `[${Array.from({ length: 6 }, () => discover).join(',')}]`))
  const replies = JSON.parse((await client.next()).body) as { result?: unknown; error?: { reason: string } }[]
  assert.deepEqual(
    replies.map(({ error }) => error?.reason ?? 'result'),
    ['result', 'result', 'result', 'result', 'connection_busy', 'connection_busy'],
  )
  await close()
})

function start(bounds: HttpServerOptions['bounds'], more: Partial<HttpServerOptions> = {}) {
  const { answer } = createTestPipeline({}, () => large)
  return listenOnFreePort({ handle: answer, ...(bounds === undefined ? {} : { bounds }), ...more })
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}
