import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import type { HttpReply } from '../../server/http/request.ts'
import type { RequestHandler } from '../../server/pipeline.ts'

import { callOperator, controlSocketName, requestBytesMax } from './control-client.ts'
import { listenControl } from './control-server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tessera-control-'))
after(() => rmSync(scratch, { recursive: true }))
let folders = 0

function folder(name = `f${String(folders++)}`): string {
  const path = join(scratch, name)
  mkdirSync(path, { recursive: true })
  return path
}

/** Returns the body of the request as the result. */
const echo: RequestHandler = ({ body }) => Promise.resolve(replyOf(JSON.stringify({ result: body.toString() })))
const replyOf = (text: string): HttpReply => ({ status: 200, retryAfterSeconds: null, requestId: '', text })
const callStatus = (folder: string) => callOperator(folder, 'operator.status.get', {})
const statusLine = '{"jsonrpc":"2.0","id":1,"method":"operator.status.get","params":{}}'
const never = (err: unknown): void => assert.fail(String(err))

/** Sends a text and returns everything received until the connection ends. */
function raw(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(join(path, controlSocketName), () => socket.write(text))
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
  })
}

test('a request gets a reply, and only the owner can open the socket', async () => {
  const at = folder()
  const server = await listenControl(at, echo, never)
  assert.equal(statSync(join(at, controlSocketName)).mode & 0o777, 0o600)
  assert.deepEqual(await callStatus(at), { result: statusLine })
  await server.close()
})

test('without a running service the result is null, not an error', async () => {
  const at = folder()
  assert.equal(await callStatus(at), null)
  assert.equal(await callStatus(join(at, 'absent')), null)
  const server = await listenControl(at, echo, never)
  await server.close()
  assert.equal(await callStatus(at), null)
})

test('a socket that a killed service left behind is replaced', async () => {
  const at = folder()
  writeFileSync(join(at, controlSocketName), '')
  const server = await listenControl(at, echo, never)
  assert.ok('result' in ((await callStatus(at)) ?? {}))
  await server.close()
})

test('a folder with a path that is too long for a socket is reached', async () => {
  const at = folder(join('long-'.repeat(20), 'long-'.repeat(20)))
  assert.ok(at.length > 200)
  const server = await listenControl(at, echo, never)
  assert.ok(statSync(join(at, controlSocketName)).isSocket())
  assert.ok('result' in ((await callStatus(at)) ?? {}))
  await server.close()
  assert.equal(await callStatus(at), null)
})

test('a line that is too long is read as an empty one, and the next line is handled', async () => {
  const at = folder()
  const server = await listenControl(at, echo, never)
  assert.equal(await raw(at, '[]\n'), '{"result":"[]"}\n')
  assert.equal(await raw(at, 'x'.repeat(requestBytesMax + 1)), '{"result":""}\n')
  assert.ok('result' in ((await callStatus(at)) ?? {}))
  await server.close()
})

test('a client that sends nothing does not delay the stop', async () => {
  const at = folder()
  const server = await listenControl(at, echo, never)
  const silent = raw(at, '')
  await callStatus(at)
  await server.close()
  assert.equal(await silent, '')
})

test('a client that does not read its reply does not delay the stop', async () => {
  const at = folder()
  const long = 'x'.repeat(8 * 1024 * 1024)
  const server = await listenControl(at, async () => replyOf(long), never)
  const deaf = createConnection(join(at, controlSocketName), () => deaf.write(`${statusLine}\n`))
  await once(deaf, 'readable')
  await server.close()
  deaf.destroy()
})

test('how far an operation is arrives before its reply, and the operation is cancelled when the command ends', async () => {
  const at = folder()
  let left: AbortSignal | undefined
  const progress = { stage: 'rows', done: 1, total: 2, seconds: 3 }
  const waiting = Promise.withResolvers<HttpReply>()
  const walk: RequestHandler = ({ terminal }) => {
    left = terminal?.left
    terminal?.showProgress(progress)
    return waiting.promise
  }
  const server = await listenControl(at, walk, never)
  const shown = Promise.withResolvers<unknown>()
  const calling = callOperator(at, 'operator.audit.verify', {}, { onProgress: shown.resolve })
  assert.deepEqual(await shown.promise, progress)
  assert.equal(left?.aborted, false)
  waiting.resolve(replyOf('{"result":7}'))
  assert.deepEqual(await calling, { result: 7 })

  const client = createConnection(join(at, controlSocketName), () => client.write(`${statusLine}\n`))
  await once(client, 'data')
  client.destroy()
  const signal = left as AbortSignal | undefined
  if (signal?.aborted === false) await once(signal, 'abort')
  assert.equal(signal?.aborted, true)
  await server.close()
})
