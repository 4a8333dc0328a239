// own process: counts the calls of node:crypto
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import type { Store } from '../store/store.ts'
import { countCrypto, type CryptoKind } from '../testing/counted-crypto.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

import { openMeasuredCaller } from './measured-calls.fixture.ts'

/** What one request costs, whatever machine it runs on. */
interface RequestWork extends Readonly<Record<Exclude<CryptoKind, 'random' | 'sign' | 'verify'>, number>> {
  /** Queries in the thread that answers. */
  readonly reads: number
  /** Transactions, each durable before the reply. */
  readonly writes: number
  /** Pages of 4 KiB that the embedded store writes to its log. */
  readonly pages: number
  /** Kilobytes (1,000 bytes) of JavaScript objects that the thread that answers allocates. */
  readonly kb: number
}

/**
 * The work of a request in the thread that answers, as docs/operating/benchmarks.md has it. A change that adds to it has to say why; one that saves some changes the
 * numbers in both places. `pages` is the largest number that may be: a page of a table is divided now and then; `kb` may be a tenth more or less, because it
 * depends on what V8 has compiled.
 */
// prettier-ignore
const expected: Readonly<Record<string, RequestWork>> = {
  'cards.create':           { reads: 0, writes: 1, pages: 12,  hmac: 0, hash: 8,   seal: 2, open: 0, kb: 47 },
  'cards.get_verify_code':  { reads: 3, writes: 2, pages: 14,  hmac: 0, hash: 14,  seal: 0, open: 2, kb: 73 },
  'cards.verify':           { reads: 4, writes: 2, pages: 20,  hmac: 0, hash: 18,  seal: 0, open: 2, kb: 105 },
  'cards.check':            { reads: 1, writes: 0, pages: 0,   hmac: 0, hash: 5,   seal: 0, open: 0, kb: 18 },
  'receipts.create':        { reads: 0, writes: 1, pages: 11,  hmac: 0, hash: 4,   seal: 0, open: 0, kb: 34 },
  'receipts.pay':           { reads: 4, writes: 3, pages: 34,  hmac: 0, hash: 24,  seal: 0, open: 2, kb: 117 },
  'receipts.pay, keyed':    { reads: 5, writes: 3, pages: 40,  hmac: 0, hash: 34,  seal: 1, open: 2, kb: 147 },
  'receipts.check':         { reads: 1, writes: 0, pages: 0,   hmac: 0, hash: 4,   seal: 0, open: 0, kb: 18 },
  'receipts.get':           { reads: 1, writes: 0, pages: 0,   hmac: 0, hash: 4,   seal: 0, open: 0, kb: 23 },
  'cards.remove':           { reads: 1, writes: 1, pages: 20,  hmac: 0, hash: 9,   seal: 0, open: 0, kb: 36 },
}

test(
  'no request reads, writes, hashes or seals more than is written down',
  withSqlite(async ({ store }) => {
    const crypto = countCrypto()
    const counts = { reads: 0, writes: 0 }
    const app = await createTestApp({ after }, { store: countingStore(store, counts) })
    const pages = (): number => Math.round(statSync(`${store.file ?? ''}-wal`).size / 4120)
    const measured: Record<string, Omit<RequestWork, 'kb'>> = {}

    const count = async (name: string, call: () => Promise<void>): Promise<void> => {
      const before = pages()
      Object.assign(counts, { reads: 0, writes: 0 })
      crypto.take()
      await call()
      const { hash = 0, hmac = 0, seal = 0, open = 0, sign, verify } = crypto.take()
      assert.deepEqual([sign, verify], [undefined, undefined], `${name} signs nothing`)
      // The first calls create keys and fill caches, so that the last ones count.
      measured[name] = { ...counts, pages: pages() - before, hmac, hash, seal, open }
    }
    const caller = await openMeasuredCaller(app)
    for (let round = 0; round < 3; round++) await caller.callEach(count)
    for (const [method, { pages: most, kb: _kb, ...work }] of Object.entries(expected)) {
      const { pages: written = Infinity, ...used } = measured[method] ?? {}
      assert.deepEqual(used, work, method)
      assert.ok(written <= most, `${method} wrote ${String(written)} pages`)
    }
    assert.deepEqual(Object.keys(measured), Object.keys(expected))
  }),
)

test('no request allocates more than is written down, nor much less', async () => {
  const program = fileURLToPath(new URL('allocated-memory.fixture.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  const bytes = JSON.parse(stdout) as Readonly<Record<string, number>>
  assert.deepEqual(Object.keys(bytes), Object.keys(expected))
  for (const [method, { kb }] of Object.entries(expected)) {
    const allocated = (bytes[method] ?? Infinity) / 1000
    assert.ok(allocated > kb * 0.9 && allocated < kb * 1.1, `${method} allocated ${String(allocated)} kB`)
  }
})

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
  for (const [method, { reads, writes, pages, hmac, hash, seal, open, kb }] of Object.entries(expected))
    assert.ok(page.includes(`| \`${method}\` | ${[reads, writes, pages, hmac, hash, seal, open, kb].join(' | ')} |`), method)
})
