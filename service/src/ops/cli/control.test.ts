import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import type { OperatorReply, OperatorRequest } from '../../operations/operator.ts'

import { callOperator, controlSocketName } from './control-client.ts'
import { listenControl, requestBytesMax } from './control-server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tessera-control-'))
after(() => rmSync(scratch, { recursive: true }))
let folders = 0

function folder(name = `f${String(folders++)}`): string {
  const path = join(scratch, name)
  mkdirSync(path, { recursive: true })
  return path
}

const status = { operation: 'operator.status.get', params: {} }
const echo = (request: OperatorRequest): Promise<OperatorReply> => Promise.resolve({ ok: true, result: request })
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
  assert.deepEqual(await callOperator(at, status), { ok: true, result: status })
  await server.close()
})

test('without a running service the result is null, not an error', async () => {
  const at = folder()
  assert.equal(await callOperator(at, status), null)
  assert.equal(await callOperator(join(at, 'absent'), status), null)
  const server = await listenControl(at, echo, never)
  await server.close()
  assert.equal(await callOperator(at, status), null)
})

test('a socket that a killed service left behind is replaced', async () => {
  const at = folder()
  writeFileSync(join(at, controlSocketName), '')
  const server = await listenControl(at, echo, never)
  assert.ok((await callOperator(at, status))?.ok)
  await server.close()
})

test('a folder with a path that is too long for a socket is reached', async () => {
  const at = folder(join('long-'.repeat(20), 'long-'.repeat(20)))
  assert.ok(at.length > 200)
  const server = await listenControl(at, echo, never)
  assert.ok(statSync(join(at, controlSocketName)).isSocket())
  assert.ok((await callOperator(at, status))?.ok)
  await server.close()
  assert.equal(await callOperator(at, status), null)
})

test('a line that is not a request, or is too long, is refused, and the next one is handled', async () => {
  const at = folder()
  const server = await listenControl(at, echo, never)
  for (const text of ['nonsense\n', '[]\n', '{"operation":1}\n', 'x'.repeat(requestBytesMax + 1)]) {
    assert.match(await raw(at, text), /^\{"ok":false,"reason":"no_request"/)
  }
  assert.ok((await callOperator(at, status))?.ok)
  await server.close()
})

test('an error of a handler is reported without its message', async () => {
  const at = folder()
  const faults: unknown[] = []
  const server = await listenControl(
    at,
    () => Promise.reject(new Error('secret')),
    (err) => faults.push(err),
  )
  const reply = await callOperator(at, status)
  assert.deepEqual(reply, { ok: false, reason: 'internal_error', message: 'Internal error. See the log of the service.' })
  assert.equal(faults.length, 1)
  await server.close()
})

test('a client that sends nothing does not delay the stop', async () => {
  const at = folder()
  const server = await listenControl(at, echo, never)
  const silent = raw(at, '')
  await callOperator(at, status)
  await server.close()
  assert.equal(await silent, '')
})

test('a client that does not read its reply does not delay the stop', async () => {
  const at = folder()
  const long = 'x'.repeat(8 * 1024 * 1024)
  const server = await listenControl(at, async () => ({ ok: true, result: long }), never)
  const deaf = createConnection(join(at, controlSocketName), () => deaf.write('{"operation":"operator.status.get"}\n'))
  await once(deaf, 'readable')
  await server.close()
  deaf.destroy()
})
