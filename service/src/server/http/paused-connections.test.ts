import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeAuthority } from '../../adapters/http/certificate.fixture.ts'
import { listenOnFreePort, openRaw, post } from '../../testing/raw.fixture.ts'

const authority = makeAuthority('an authority')

/** A server that takes `ms` of a clock of its own for each call, and a fifth of it for a refusal. */
async function listen(ms: number, { isTls = false } = {}) {
  const { cert, key } = authority.certify('pay.example')
  let at = 0
  const refusals: (string | null)[] = []
  let paused = 0
  const app = await listenOnFreePort({
    now: () => at,
    ...(isTls ? { tls: { certificate: Buffer.from(cert), key: Buffer.from(key) } } : {}),
    async handle({ body, refusal }) {
      at += refusal === null ? ms : ms / 5
      refusals.push(refusal)
      paused = Math.max(paused, app.http.pausedConnections())
      return { status: refusal === null ? 200 : 503, retryAfterSeconds: null, requestId: '0', text: body.toString() }
    },
  })
  const open = () => (isTls ? openRaw(app.port, { servername: 'pay.example', ca: authority.cert }) : app.open())
  const openMany = (count: number) => Promise.all(Array.from({ length: count }, open))
  return { app, openMany, refusals, mostPaused: () => paused }
}

for (const isTls of [false, true])
  test(`connections${isTls ? ' with TLS' : ''} are paused when more is read than is handled, and each request on each of them gets its own reply`, async () => {
    // Ten calls fill the queue.
    const { app, openMany, refusals, mostPaused } = await listen(15, { isTls })
    const clients = await openMany(40)
    try {
      for (let round = 0; round < 6; round++) {
        clients.forEach((client, number) => client.write(post('/api', `${round}:${number}`)))
        // Some are opened while others are paused.
        const added = round === 3 ? openMany(10) : []
        for (const [number, client] of clients.entries()) assert.equal((await client.next()).body, `${round}:${number}`)
        clients.push(...(await added))
      }
      assert.ok(mostPaused() > 20, `${mostPaused()} were paused`)
      assert.deepEqual(new Set(refusals), new Set([null]))
      assert.equal(app.http.inFlight(), 0)
    } finally {
      for (const { socket } of clients) socket.destroy()
      await app.close()
    }
  })

test('requests that are pipelined on connections that are paused get their replies in order', async () => {
  const { app, openMany, mostPaused } = await listen(15)
  try {
    const clients = await openMany(12)
    const texts = Array.from({ length: 20 }, (_, request) => String(request))
    for (const [number, client] of clients.entries())
      for (const text of texts) {
        client.write(post('/api', `${number}:${text}`))
        if (text === '9') await new Promise((resolve) => setImmediate(resolve))
      }
    for (const [number, client] of clients.entries())
      for (const text of texts) assert.equal((await client.next()).body, `${number}:${text}`)
    assert.ok(mostPaused() > 5, `${mostPaused()} were paused`)
  } finally {
    await app.close()
  }
})

test('while an overload lasts, calls that have waited too long are refused as overloaded, and others handled', async () => {
  const { app, openMany, refusals } = await listen(40)
  try {
    const clients = await openMany(150)
    const statuses: number[] = []
    const call = async (client: (typeof clients)[number]): Promise<void> => {
      for (let round = 0; round < 3 || !refusals.includes('overloaded'); round++) {
        client.write(post('/api', 'x'))
        statuses.push((await client.next()).status)
        assert.ok(statuses.length < 100_000, 'none of them was refused')
      }
    }
    await Promise.all(clients.map(call))
    const refused = statuses.filter((status) => status === 503).length
    assert.ok(refused > 0 && refused < statuses.length / 2, `${refused} of ${statuses.length} were refused`)
    assert.deepEqual(new Set(refusals), new Set([null, 'overloaded']))
  } finally {
    await app.close()
  }
})

test('a stop reads from the connections that are paused: none of their calls is lost', async () => {
  const { app, openMany, mostPaused } = await listen(40)
  const clients = await openMany(60)
  for (let round = 0; round < 3; round++) {
    for (const client of clients) client.write(post('/api', 'x'))
    if (round < 2) for (const client of clients) await client.next()
  }
  await clients[0]?.next()
  assert.ok(mostPaused() > 20)
  const drained = app.http.drain(5000)
  const replies = await Promise.all(clients.slice(1).map((client) => client.next()))
  assert.ok(replies.every(({ status }) => status === 200 || status === 503))
  assert.equal(app.http.pausedConnections(), 0)
  for (const { socket } of clients) socket.destroy()
  await drained
})
