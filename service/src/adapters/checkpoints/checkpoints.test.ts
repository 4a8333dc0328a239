import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { makeHandClock } from '../../testing/clock.fixture.ts'
import { makeHttpPost } from '../http/http-post.ts'

import { makeCheckpointFile } from './file.ts'
import { makeCheckpointHttp } from './http.ts'
import { makeCheckpointSyslog } from './syslog.ts'

const line = '{"type":"tessera.audit.checkpoint/1","at":"2026-11-21T09:00:00.000Z"}'
const { signal } = new AbortController()
const syslogMessage = /^<109>1 2026-11-21T09:00:00\.000Z \S+ tessera \d+ audit-checkpoint - \{"type":"tessera\.audit\.checkpoint\/1".*\}$/

test('a file gets a line for each checkpoint, is private, may be moved away, and its newest lines are read', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-checkpoints-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'checkpoints.jsonl')
  const file = makeCheckpointFile(path)
  assert.deepEqual(await file.readLast?.(), [])
  await file.send('1', signal)
  await file.send('2', signal)
  assert.deepEqual([readFileSync(path, 'utf8'), statSync(path).mode & 0o777], ['1\n2\n', 0o600])
  renameSync(path, `${path}.1`)
  const long = 'x'.repeat(100_000)
  for (const each of ['first', long, long, 'last']) await file.send(each, signal)
  assert.deepEqual(await file.readLast?.(), ['first', long, long, 'last'])
  for (const each of [long, 'newest']) await file.send(each, signal)
  assert.deepEqual((await file.readLast?.())?.at(-1), 'newest')
  assert.equal((await file.readLast?.())?.includes('first'), false, 'only the end of a long file is read')
  await assert.rejects(makeCheckpointFile(join(folder, 'nowhere', 'file')).send('1', signal))
})

test('a syslog server gets a checkpoint as an RFC 5424 message by UDP', async (t) => {
  const server = createSocket('udp4')
  t.after(() => void server.close())
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(`udp://127.0.0.1:${String(server.address().port)}`)
  const received = once(server, 'message') as Promise<[Buffer]>
  await makeCheckpointSyslog(url, makeHandClock().now).send(line, signal)
  assert.match(String((await received)[0]), syslogMessage)
})

test('a syslog server gets a checkpoint in a counted frame by TCP, and one that is not there is an error', async (t) => {
  let text = ''
  const server = createServer((socket) => socket.on('data', (bytes: Buffer) => (text += bytes.toString())))
  t.after(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { now } = makeHandClock()
  await makeCheckpointSyslog(new URL(`tcp://127.0.0.1:${String(port)}`), now).send(line, signal)
  const [, length, message = ''] = /^(\d+) (.*)$/.exec(text) ?? []
  assert.equal(Number(length), Buffer.byteLength(message))
  assert.match(message, syslogMessage)
  await assert.rejects(makeCheckpointSyslog(new URL('tcp://127.0.0.1:1'), now).send(line, signal), /could not be reached by TCP/)
})

test('a server gets a checkpoint as JSON, and only a status of the 2xx class means that it was stored', async (t) => {
  const bodies: string[] = []
  let status = 204
  const server = createHttpServer((request, response) => {
    request.on('data', (bytes: Buffer) => bodies.push(bytes.toString()))
    request.on('end', () => response.writeHead(status).end())
  })
  t.after(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const guard = { choose: () => Promise.resolve({ address: '127.0.0.1', family: 4 } as const) }
  const post = makeHttpPost({ guard, clock: makeHandClock(), timeoutMs: 5000, replyBytesMax: 1024 })
  const destination = makeCheckpointHttp(new URL(`http://127.0.0.1:${String(port)}/checkpoints`), post)
  await destination.send(line, signal)
  assert.deepEqual(bodies, [line])
  status = 503
  await assert.rejects(destination.send(line, signal), /HTTP 503/)
})
