import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { askRunning } from './control-client.ts'
import { listenControl } from './control-server.ts'
import { controlSocketName, questionBytesMax } from './control-wire.ts'
import type { Question, Reply } from './control-wire.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tessera-control-'))
after(() => rmSync(scratch, { recursive: true }))
let folders = 0

function folder(name = `f${String(folders++)}`): string {
  const path = join(scratch, name)
  mkdirSync(path, { recursive: true })
  return path
}

const echo = (question: Question): Promise<Reply> => Promise.resolve({ ok: true, answer: question })
const never = (err: unknown): void => assert.fail(String(err))

/** What a client that says `text` gets back until the connection ends. */
function raw(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(join(path, controlSocketName), () => socket.write(text))
    let heard = ''
    socket.on('data', (chunk) => (heard += chunk.toString()))
    socket.on('error', reject)
    socket.on('close', () => resolve(heard))
  })
}

test('a question is answered, and the socket is its owner’s alone', async () => {
  const at = folder()
  const server = await listenControl(at, echo, never)
  assert.equal(statSync(join(at, controlSocketName)).mode & 0o777, 0o600)
  assert.deepEqual(await askRunning(at, { ask: 'status', n: 1 }), { ok: true, answer: { ask: 'status', n: 1 } })
  await server.close()
})

test('when nothing runs there is no answer, not a fault', async () => {
  const at = folder()
  assert.equal(await askRunning(at, { ask: 'status' }), null)
  assert.equal(await askRunning(join(at, 'absent'), { ask: 'status' }), null)
  const server = await listenControl(at, echo, never)
  await server.close()
  assert.equal(await askRunning(at, { ask: 'status' }), null)
})

test('a socket that a killed service left behind is taken over', async () => {
  const at = folder()
  writeFileSync(join(at, controlSocketName), '')
  const server = await listenControl(at, echo, never)
  assert.ok((await askRunning(at, { ask: 'status' }))?.ok)
  await server.close()
})

test('a folder whose path is longer than a socket may have is reached all the same', async () => {
  const at = folder(join('long-'.repeat(20), 'long-'.repeat(20)))
  assert.ok(at.length > 200)
  const server = await listenControl(at, echo, never)
  assert.ok(statSync(join(at, controlSocketName)).isSocket())
  assert.ok((await askRunning(at, { ask: 'status' }))?.ok)
  await server.close()
  assert.equal(await askRunning(at, { ask: 'status' }), null)
})

test('a line that is no question, or too long for one, is refused and the next one answered', async () => {
  const at = folder()
  const server = await listenControl(at, echo, never)
  for (const text of ['nonsense\n', '[]\n', '{"ask":1}\n', 'x'.repeat(questionBytesMax + 1)]) {
    assert.match(await raw(at, text), /^\{"ok":false,"reason":"no_question"/)
  }
  assert.ok((await askRunning(at, { ask: 'status' }))?.ok)
  await server.close()
})

test('what an answer throws is told as a fault without its words', async () => {
  const at = folder()
  const faults: unknown[] = []
  const server = await listenControl(
    at,
    () => Promise.reject(new Error('secret')),
    (err) => faults.push(err),
  )
  const reply = await askRunning(at, { ask: 'status' })
  assert.deepEqual(reply, { ok: false, reason: 'internal_error', message: 'The service could not answer; its log says why.' })
  assert.equal(faults.length, 1)
  await server.close()
})

test('a client that says nothing does not hold up the end', async () => {
  const at = folder()
  const server = await listenControl(at, echo, never)
  const silent = raw(at, '')
  await askRunning(at, { ask: 'status' })
  await server.close()
  assert.equal(await silent, '')
})

test('a client that does not read its answer does not hold up the end', async () => {
  const at = folder()
  const long = 'x'.repeat(8 * 1024 * 1024)
  const server = await listenControl(at, async () => ({ ok: true, answer: long }), never)
  const deaf = createConnection(join(at, controlSocketName), () => deaf.write('{"ask":"status"}\n'))
  await once(deaf, 'readable')
  await server.close()
  deaf.destroy()
})
