import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openProxy } from './proxy.ts'

/** A database that answers everything with the word that it committed. */
const database = createServer((socket: Socket) => {
  socket.on('error', () => undefined)
  socket.on('data', () => socket.write('COMMIT\0'))
}).listen(0, '127.0.0.1')
await once(database, 'listening')
const address = database.address()
const proxy = await openProxy({ host: '127.0.0.1', port: typeof address === 'object' && address !== null ? address.port : 0 })
after(async () => {
  await proxy.close()
  database.close()
})

async function ask(): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(proxy.port, '127.0.0.1')
  await once(socket, 'connect')
  const answer = new Promise<string>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString()))
    socket.once('error', (err: NodeJS.ErrnoException) => resolve(err.code ?? 'failed'))
  })
  socket.write('commit')
  return { socket, answer }
}

test('traffic that a proxy holds gets no reply and no error, and continues afterwards', async () => {
  proxy.hold()
  const { socket, answer } = await ask()
  assert.equal(await Promise.race([answer, pause(100, 'silent')]), 'silent')
  proxy.release()
  assert.equal(await answer, 'COMMIT\0')
  socket.destroy()
})

test('a proxy resets as many connections as requested at a reply to COMMIT, and no more', async () => {
  proxy.resetAtCommit(2)
  const answers = []
  for (let at = 0; at < 3; at++) answers.push(await (await ask()).answer)
  assert.deepEqual([...answers, proxy.resetsLeft()], ['ECONNRESET', 'ECONNRESET', 'COMMIT\0', 0])
})
