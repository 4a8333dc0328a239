import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { listenOnFreePort, post } from '../../testing/raw.fixture.ts'
import type { AbortStage } from './server-state.ts'

let at = 0
let inTurn = 0
const begun: string[] = []
const aborts: AbortStage[] = []
/** Each request takes four milliseconds of the clock, so a turn has time for three. */
const app = await listenOnFreePort({
  now: () => at,
  onAbort: (stage) => aborts.push(stage),
  async handle({ body }) {
    at += 4
    if (inTurn++ === 0) setImmediate(() => (inTurn = 0))
    assert.ok(inTurn <= 6, 'the requests that were left from the turn before, and those that arrive after them')
    const text = body.toString()
    begun.push(text)
    return { status: 200, retryAfterSeconds: null, requestId: '0', text }
  },
})
after(() => app.close())

test('every request gets its own reply, on connections that pipeline', async () => {
  const clients = await Promise.all(Array.from({ length: 8 }, () => app.open()))
  const texts = Array.from({ length: 40 }, (_, request) => String(request))
  clients.forEach((client, number) => client.write(texts.map((text) => post('/api', `${number}:${text}`)).join('')))
  for (const [number, client] of clients.entries()) for (const text of texts) assert.equal((await client.next()).body, `${number}:${text}`)
  assert.deepEqual(begun.toSorted(), clients.flatMap((_, number) => texts.map((text) => `${number}:${text}`)).toSorted())
  assert.deepEqual(aborts, [])
})

test('every request gets its own reply, on connections that are used again and again', async () => {
  const clients = await Promise.all(Array.from({ length: 20 }, () => app.open()))
  const ask = async (client: (typeof clients)[number], number: number): Promise<void> => {
    for (let request = 0; request < 20; request++) {
      client.write(post('/api', `${number}:${request}`))
      assert.equal((await client.next()).body, `${number}:${request}`)
    }
  }
  await Promise.all(clients.map(ask))
  assert.equal(app.http.inFlight(), 0)
})

test('requests whose client has gone before they were begun are dropped, and counted as aborted', async () => {
  const count = 60
  const before = begun.length
  const client = await app.open()
  client.write(Array.from({ length: count }, () => post('/api', 'gone')).join(''))
  await client.next()
  client.socket.resetAndDestroy()
  const other = await app.open()
  other.write(post('/api', 'stays'))
  assert.equal((await other.next()).body, 'stays')
  const gone = begun.slice(before).filter((text) => text === 'gone').length
  assert.ok(gone >= 3 && gone < count, `${gone} of ${count} were begun`)
  assert.ok(aborts.filter((stage) => stage === 'reply').length >= count - gone)
  assert.equal(app.http.inFlight(), 0)
})
