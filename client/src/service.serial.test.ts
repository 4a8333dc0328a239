import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, describe, it } from 'node:test'

import { startTessera, type StartedTessera } from '../../tools/start-tessera.ts'
import { receiptStates, Tessera, TesseraError } from './index.ts'
import { saveCard } from './save-card.fixture.ts'

let started: StartedTessera
let tessera: Tessera

before(async () => {
  started = await startTessera()
  tessera = new Tessera(started)
})
after(() => started.stop())

describe('cards with the client, against the running service', () => {
  it('checks and removes a verified card', async () => {
    const token = await saveCard(started)
    const { card } = await tessera.cards.check({ token })
    assert.deepEqual(card, { number: '8600***6311', expire: '0399', token, recurrent: true, verify: true, type: '22618' })
    assert.deepEqual(await tessera.cards.remove({ token }), { success: true })
    const outcome = await tessera.outcome('cards.check', { token })
    assert.deepEqual(outcome.ok ? null : [outcome.problem.reason, outcome.problem.code], ['card_deleted', -31400])
  })

  it('returns problem messages in the configured language', async () => {
    const russian = new Tessera({ ...started, language: 'ru' })
    const err: unknown = await russian.cards.check({ token: 'none' }).catch((reason: unknown) => reason)
    assert.ok(err instanceof TesseraError)
    assert.equal(err.message, 'cards.check: Это не токен карты. (token_shape)')
  })

  it('reports a wrong password and an unknown merchant with different reasons', async () => {
    const reasons = await Promise.all(
      [{ password: 'wrong' }, { merchantId: '0'.repeat(24) }].map(async (wrong) => {
        const outcome = await new Tessera({ ...started, ...wrong }).outcome('cards.check', { token: 'none' })
        return outcome.ok ? null : outcome.problem.reason
      }),
    )
    assert.deepEqual(reasons, ['access_denied', 'merchant_unknown'])
  })

  it('returns the OpenRPC document', async () => {
    const { openrpc, methods } = await tessera.call('rpc.discover', {})
    assert.match(openrpc, /^1\./)
    assert.ok(methods.length > 10)
  })
})

describe('receipts with the client, against the running service', () => {
  it('creates a receipt, pays it with a token, reads it and cancels it', async () => {
    const token = await saveCard(started)
    const { receipt } = await tessera.receipts.create({ amount: 500_000, account: { order_id: 197 }, description: 'Coffee' })
    assert.equal(receipt.state, receiptStates.created)
    assert.deepEqual(
      receipt.account.map(({ value }) => value),
      ['197'],
    )
    const paid = await tessera.receipts.pay({ id: receipt._id, token, payer: { phone: '998901234567' } })
    assert.equal(paid.receipt.state, receiptStates.paid)
    assert.deepEqual(paid.receipt.card, { number: '8600***6311', expire: '9903' })
    assert.deepEqual((await tessera.receipts.get({ id: receipt._id })).receipt, paid.receipt)
    const cancelled = await tessera.receipts.cancel({ id: receipt._id })
    assert.ok([receiptStates.returning, receiptStates.cancelled].includes(cancelled.receipt.state as never))
    const day = { count: 50, from: receipt.create_time, to: receipt.create_time }
    assert.ok((await tessera.receipts.get_all(day)).some(({ _id }) => _id === receipt._id))
  })

  it('holds an amount and captures a part of it', async () => {
    const token = await saveCard(started)
    const { receipt } = await tessera.receipts.create({ amount: 500_000, hold: true })
    assert.equal((await tessera.receipts.pay({ id: receipt._id, token, hold: true })).receipt.state, receiptStates.held)
    assert.equal((await tessera.receipts.confirm_hold({ id: receipt._id, amount: 200_000 })).receipt.state, receiptStates.paid)
  })

  it('returns the same result for the same idempotency key, and an error when the params differ', async () => {
    const key = { idempotencyKey: 'order-198' }
    const first = await tessera.receipts.create({ amount: 700 }, key)
    const [second, third] = await Promise.all([
      tessera.receipts.create({ amount: 700 }, key),
      tessera.receipts.create({ amount: 700 }, key),
    ])
    assert.deepEqual([second, third], [first, first])
    const other = await tessera.outcome('receipts.create', { amount: 701 }, key)
    assert.equal(other.ok ? null : other.problem.reason, 'idempotency_mismatch')
    assert.match(other.requestId ?? '', /^[0-9a-f]{24}$/)
  })

  it('retries after a lost response, and the payment is made once', async () => {
    const token = await saveCard(started)
    const { receipt } = await tessera.receipts.create({ amount: 900 })
    const lossy = await startLossyProxy(started.url)
    const paid = await new Tessera({ ...started, url: lossy.url }).receipts.pay({ id: receipt._id, token })
    lossy.server.close()
    assert.equal(lossy.requestCount(), 2)
    assert.equal(paid.receipt.state, receiptStates.paid)
    const again = await tessera.outcome('receipts.pay', { id: receipt._id, token })
    assert.equal(again.ok ? null : again.problem.reason, 'receipt_paid')
  })
})

describe('an unreachable service', () => {
  it('is reported as no_answer', async () => {
    const outcome = await new Tessera({ ...started, url: 'http://127.0.0.1:1', retriesMax: 0 }).outcome('cards.check', { token: 'x' })
    assert.deepEqual(outcome.ok ? null : [outcome.problem.reason, outcome.problem.isRetryable], ['no_answer', true])
  })

  it('is reported after timeoutMs, and a signal aborts the call earlier', async () => {
    const server = createServer(() => undefined)
    const url = await listen(server)
    const slow = new Tessera({ ...started, url, timeoutMs: 50, retriesMax: 0 })
    const timedOut = await slow.outcome('cards.check', { token: 'x' })
    assert.equal(timedOut.ok ? null : timedOut.problem.message, `No answer from ${url}: within 50 ms.`)
    const aborted = await new Tessera({ ...started, url }).outcome('cards.check', { token: 'x' }, { signal: AbortSignal.timeout(50) })
    assert.equal(aborted.ok ? null : aborted.problem.reason, 'cancelled')
    server.closeAllConnections()
    server.close()
  })

  it('behind a redirect is reported as not_tessera, and the password is not sent to the other address', async () => {
    let redirectedRequests = 0
    const other = createServer((_request, response) => response.end(String(++redirectedRequests)))
    const to = await listen(other)
    const server = createServer((_request, response) => response.writeHead(307, { location: to }).end())
    const outcome = await new Tessera({ ...started, url: await listen(server) }).outcome('cards.check', { token: 'x' })
    assert.equal(outcome.ok ? null : outcome.problem.reason, 'not_tessera')
    assert.equal(redirectedRequests, 0)
    other.close()
    server.close()
  })
})

/** A proxy that forwards every request, and closes the connection instead of returning the first response. */
async function startLossyProxy(to: string): Promise<{ url: string; server: Server; requestCount: () => number }> {
  let requestCount = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const isFirst = requestCount++ === 0
      const headers = { 'x-auth': request.headers['x-auth'] as string, 'idempotency-key': request.headers['idempotency-key'] as string }
      void fetch(`${to}${request.url ?? ''}`, { method: 'POST', headers, body: Buffer.concat(chunks) }).then(async (upstream) => {
        const text = await upstream.text()
        if (isFirst) request.socket.destroy()
        else response.end(text)
      })
    })
  })
  return { url: await listen(server), server, requestCount: () => requestCount }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return `http://127.0.0.1:${address.port}`
}
