// own process: counts the calls of node:crypto
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { after, test } from 'node:test'

import type { OperationName } from '@tessera/contract/operations'

import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import type { Store } from '../store/store.ts'
import { countCrypto, type CryptoKind } from '../testing/counted-crypto.fixture.ts'
import { request } from '../testing/pipeline.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

/** What one request costs, whatever machine it runs on. */
interface RequestWork extends Readonly<Record<Exclude<CryptoKind, 'random' | 'sign' | 'verify'>, number>> {
  /** Queries in the thread that answers. */
  readonly reads: number
  /** Transactions, each durable before the reply. */
  readonly writes: number
  /** Pages of 4 KiB that the embedded store writes to its log. */
  readonly pages: number
}

/**
 * The work of a request in the thread that answers, as docs/operating/benchmarks.md has it. A change that adds to it has to say why; one that saves some changes the
 * numbers in both places. `pages` is the largest number that may be: a page of a table is divided now and then.
 */
// prettier-ignore
const expected: Readonly<Record<string, RequestWork>> = {
  'cards.create':           { reads: 0, writes: 1, pages: 12,  hmac: 0, hash: 8,   seal: 2, open: 0 },
  'cards.get_verify_code':  { reads: 3, writes: 2, pages: 14,  hmac: 0, hash: 14,  seal: 0, open: 2 },
  'cards.verify':           { reads: 4, writes: 2, pages: 20,  hmac: 0, hash: 18,  seal: 0, open: 2 },
  'cards.check':            { reads: 1, writes: 0, pages: 0,   hmac: 0, hash: 5,   seal: 0, open: 0 },
  'receipts.create':        { reads: 0, writes: 1, pages: 11,  hmac: 0, hash: 4,   seal: 0, open: 0 },
  'receipts.pay':           { reads: 4, writes: 3, pages: 34,  hmac: 0, hash: 24,  seal: 0, open: 2 },
  'receipts.pay, keyed':    { reads: 5, writes: 3, pages: 40,  hmac: 0, hash: 34,  seal: 1, open: 2 },
  'receipts.check':         { reads: 1, writes: 0, pages: 0,   hmac: 0, hash: 4,   seal: 0, open: 0 },
  'receipts.get':           { reads: 1, writes: 0, pages: 0,   hmac: 0, hash: 4,   seal: 0, open: 0 },
  'cards.remove':           { reads: 1, writes: 1, pages: 20,  hmac: 0, hash: 9,   seal: 0, open: 0 },
}

test(
  'no request reads, writes, hashes or seals more than is written down',
  withSqlite(async ({ store }) => {
    const crypto = countCrypto()
    const counts = { reads: 0, writes: 0 }
    const app = await createTestApp({ after }, { store: countingStore(store, counts) })
    const merchantId = 'a'.repeat(24)
    const password = 'a password of the API, as long as one'
    await app.merchants.ensureMerchant({ id: merchantId, name: 'A shop', password })
    const pages = (): number => Math.round(statSync(`${store.file ?? ''}-wal`).size / 4120)
    const measured: Record<string, RequestWork> = {}

    const call = async (method: OperationName, params: object, key: string | null = null): Promise<unknown> => {
      const before = pages()
      Object.assign(counts, { reads: 0, writes: 0 })
      crypto.take()
      const xAuth = `${merchantId}:${password}`
      const { text } = await app.app.handle(
        request({ jsonrpc: '2.0', id: 1, method, params }, { xAuth, segment: method, idempotencyKey: key === null ? null : { key } }),
      )
      const { hash = 0, hmac = 0, seal = 0, open = 0, sign, verify } = crypto.take()
      const reply = JSON.parse(text) as { readonly result?: unknown }
      assert.ok(reply.result !== undefined, text)
      assert.deepEqual([sign, verify], [undefined, undefined], `${method} signs nothing`)
      // The first calls create keys and fill caches, so that the last ones count.
      measured[key === null ? method : `${method}, keyed`] = { ...counts, pages: pages() - before, hmac, hash, seal, open }
      return reply.result
    }

    for (let round = 0; round < 3; round++) {
      const { card } = (await call('cards.create', { card: { number: successPan, expire: '0399' }, save: true })) as {
        card: { token: string }
      }
      await call('cards.get_verify_code', { token: card.token })
      await call('cards.verify', { token: card.token, code: '666666' })
      await call('cards.check', { token: card.token })
      const { receipt } = (await call('receipts.create', { amount: 500_000, account: { order_id: '197' } })) as { receipt: { _id: string } }
      await call('receipts.pay', { id: receipt._id, token: card.token })
      const next = (await call('receipts.create', { amount: 500_000, account: { order_id: '198' } })) as { receipt: { _id: string } }
      await call('receipts.pay', { id: next.receipt._id, token: card.token }, `key-${round}`)
      await call('receipts.check', { id: receipt._id })
      await call('receipts.get', { id: receipt._id })
      await call('cards.remove', { token: card.token })
    }
    for (const [method, { pages: most, ...work }] of Object.entries(expected)) {
      const { pages: written = Infinity, ...used } = measured[method] ?? {}
      assert.deepEqual(used, work, method)
      assert.ok(written <= most, `${method} wrote ${String(written)} pages`)
    }
    assert.deepEqual(Object.keys(measured), Object.keys(expected))
  }),
)

function countingStore(store: Store, counts: { reads: number; writes: number }): Store {
  return {
    ...store,
    read: (query) => {
      counts.reads++
      return store.read(query)
    },
    readNow: (query) => {
      counts.reads++
      return store.readNow(query)
    },
    write: (transaction, input) => {
      counts.writes++
      return store.write(transaction, input)
    },
  }
}

test('the page of the benchmarks has the same numbers', () => {
  const page = readFileSync(new URL('../../../docs/operating/benchmarks.md', import.meta.url), 'utf8')
  for (const [method, { reads, writes, pages, hmac, hash, seal, open }] of Object.entries(expected))
    assert.ok(page.includes(`| \`${method}\` | ${[reads, writes, pages, hmac, hash, seal, open].join(' | ')} |`), method)
})
