import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'

import { saveCard } from '../../client/src/save-card.fixture.ts'
import { startTessera, type StartedTessera } from '../../tools/start-tessera.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const runProgram = promisify(execFile)
// The example imports the library as a merchant does: built.
await runProgram(process.execPath, ['tools/build-client.ts'], { cwd: root })
const { Tessera, receiptStates } = await import('@tessera/client')
const { openBook } = await import('./book.ts')
const { chargeDue } = await import('./charge.ts')
const { receiveDeliveries } = await import('./receive.ts')
const { changeCard } = await import('./verdict.ts')
type Book = ReturnType<typeof openBook>

const day = 24 * 60 * 60 * 1000
/** Noon of the fifth of December in Tashkent. */
const december5 = Date.UTC(2026, 11, 5, 7)
const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

let started: StartedTessera
let till: InstanceType<typeof Tessera>
let folder: string
let file: string
let names = 0

before(async () => {
  started = await startTessera()
  till = new Tessera(started)
  folder = mkdtempSync(join(tmpdir(), 'tessera-book-'))
})
beforeEach(() => (file = join(folder, `book-${++names}.json`)))
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await started.stop()
})

describe('a member is charged', () => {
  it('on the day of the month and not before, once, however often it is asked', async () => {
    const book = await bookOf('8600069195406311')
    await chargeDue(december5 - day, { till, book })
    assert.deepEqual(book.members[0]?.charges, {})
    for (const now of [december5, december5 + 1, december5 + 20 * day]) await chargeDue(now, { till, book })
    assert.deepEqual(statesOf(book), { '2026-12': 'paid' })
    assert.equal((await receiptsOf(book)).length, 1)
  })

  it('every month again, by the clock of Tashkent', async () => {
    const book = await bookOf('8600069195406311')
    // Five hours before midnight in UTC it is the next day already.
    for (const month of [11, 12, 13]) await chargeDue(Date.UTC(2026, month, 4, 19), { till, book })
    assert.deepEqual(statesOf(book), { '2026-12': 'paid', '2027-01': 'paid', '2027-02': 'paid' })
    assert.deepEqual(
      (await receiptsOf(book)).map(({ state }) => state),
      [4, 4, 4],
    )
  })

  it('once, also when the process died and its book is from before', async () => {
    const book = await bookOf('8600069195406311')
    const beforeAll = readFileSync(file, 'utf8')
    const snapshots: string[] = []
    const keeping: Book = { ...book, save: () => (book.save(), void snapshots.push(readFileSync(file, 'utf8'))) }
    await chargeDue(december5, { till, book: keeping })
    for (const snapshot of [beforeAll, ...snapshots]) {
      writeFileSync(file, snapshot)
      const reborn = openBook(file)
      await chargeDue(december5 + 60 * 60 * 1000, { till, book: reborn })
      assert.deepEqual(statesOf(reborn), { '2026-12': 'paid' })
    }
    assert.ok(snapshots.length >= 4)
    assert.equal((await receiptsOf(book)).filter(({ state }) => state === receiptStates.paid).length, 1)
  })

  it('again one, three and seven days after a refusal, and then no more', async () => {
    const book = await bookOf('8600143417770323')
    for (let now = december5; now < december5 + 25 * day; now += day) await chargeDue(now, { till, book })
    const { state, attempt, reason } = book.members[0]?.charges['2026-12'] ?? {}
    assert.deepEqual({ state, attempt, reason }, { state: 'failed', attempt: 4, reason: 'system_error' })
    const receipts = await receiptsOf(book)
    assert.deepEqual(
      receipts.map((receipt) => receipt.state),
      [50, 50, 50, 50],
    )
  })

  it('with another card, when the first was blocked', async () => {
    const book = await bookOf('4444445987459073')
    await chargeDue(december5, { till, book })
    const [member] = book.members
    assert.ok(member)
    assert.deepEqual([member.token, member.charges['2026-12']?.reason], [null, 'card_blocked'])
    changeCard(member, await saveCard(started), december5)
    await chargeDue(december5, { till, book })
    assert.deepEqual(statesOf(book), { '2026-12': 'paid' })
  })

  it('later, when nobody answers', async () => {
    const book = await bookOf('8600069195406311')
    const nobody = new Tessera({ ...started, url: 'http://127.0.0.1:1', retriesMax: 0 })
    await chargeDue(december5, { till: nobody, book })
    assert.equal(book.members[0]?.charges['2026-12']?.reason, 'no_answer')
    await chargeDue(december5 + 5 * 60 * 1000, { till, book })
    assert.deepEqual(statesOf(book), { '2026-12': 'paid' })
  })
})

describe('a delivery', () => {
  it('settles a charge that is open, and is taken once', async () => {
    const book = await bookOf('8600069195406311')
    const charge = { state: 'open', dueAt: 1e15, attempt: 1, receiptId: 'a'.repeat(24), pays: 1, reason: 'payment_unknown' } as const
    book.members[0]!.charges = { '2026-12': { ...charge } }
    const paid = { type: 'receipt.paid', timestamp: 'now', data: { receipt: { id: charge.receiptId }, customer: null } }
    assert.equal(await deliver(book, paid, 'evt_1'), 204)
    assert.deepEqual(statesOf(book), { '2026-12': 'paid' })
    book.members[0]!.charges = { '2026-12': { ...charge } }
    assert.equal(await deliver(book, paid, 'evt_1'), 204)
    assert.deepEqual(statesOf(book), { '2026-12': 'open' })
    assert.deepEqual(openBook(file).seen, ['evt_1'])
  })

  it('of a removed card takes its token out of the book, and nobody is charged with it', async () => {
    const book = await bookOf('8600069195406311')
    const id = book.members[0]?.token?.slice(0, 24)
    assert.equal(await deliver(book, { type: 'card.removed', timestamp: 'now', data: { card: { id }, customer: null } }), 204)
    await chargeDue(december5, { till, book })
    assert.deepEqual([book.members[0]?.token, statesOf(book)], [null, {}])
  })

  it('that fails brings the next look nearer', async () => {
    const book = await bookOf('8600069195406311')
    book.members[0]!.charges = { '2026-12': { state: 'open', dueAt: 1e15, attempt: 1, receiptId: 'b', pays: 1, reason: null } }
    await deliver(book, { type: 'receipt.failed', timestamp: 'now', data: { receipt: { id: 'b' }, customer: null } })
    assert.ok(book.members[0]!.charges['2026-12']!.dueAt < 1e15)
  })

  it('of a type that nobody knows is acknowledged; one with a wrong signature, or too long, is not', async () => {
    const book = await bookOf('8600069195406311')
    assert.equal(await deliver(book, { type: 'of.a.later.year', timestamp: 'now', data: {} }, 'evt_2'), 204)
    assert.equal(await deliver(book, { type: 'receipt.paid', data: {} }, 'evt_3', `whsec_${Buffer.alloc(32, 6).toString('base64')}`), 400)
    assert.equal(await deliver(book, { type: 'receipt.paid', data: 'x'.repeat(70_000) }, 'evt_4'), 400)
    assert.deepEqual(book.seen, ['evt_2'])
  })
})

describe('the script', () => {
  const run = (...words: string[]): Promise<{ stdout: string; stderr: string }> =>
    runProgram(process.execPath, [join(root, 'examples/recurring/recurring.ts'), ...words], {
      env: { TESSERA_URL: started.url, BOOK: file },
      timeout: 30_000,
    })

  it('adds a member, charges as of a day, and tells it', async () => {
    await run('add', `m${names}`, '990000', '5', await saveCard(started))
    assert.equal((await run('charge', '2026-12-05')).stdout, `m${names}  2026-12  paid\n`)
    assert.equal((await run('charge', '2026-12-06')).stdout, `m${names}  2026-12  paid\n`)
  })

  it('says what it takes when it was told something else', async () => {
    for (const words of [[], ['add', 'x'], ['charge', 'soon']]) {
      const err = (await run(...words).catch((reason: unknown) => reason)) as { code?: number; stderr: string }
      assert.equal(err.code, 1)
      assert.match(err.stderr, /add|2026-12-01/)
    }
  })
})

/** A book with one member of its own name who pays on the fifth. */
async function bookOf(pan: string): Promise<Book> {
  const book = openBook(file)
  book.members.push({ id: `m${names}`, amountTiyin: 990_000, day: 5, token: await saveCard(started, pan), charges: {} })
  book.save()
  return book
}

function statesOf({ members: [member] }: Book): Record<string, string> {
  return Object.fromEntries(Object.entries(member?.charges ?? {}).map(([month, { state }]) => [month, state]))
}

/** What the service knows of this member. */
async function receiptsOf({ members: [member] }: Book): Promise<{ state: number }[]> {
  const now = Date.now()
  const receipts = await till.call('receipts.get_all', { count: 50, from: now - day, to: now + day })
  return receipts.filter(({ account }) => account.some(({ value }) => value === member?.id))
}

async function deliver(book: Book, event: object, id = 'evt_0', by = secret): Promise<number> {
  const now = new Date()
  const body = JSON.stringify(event)
  const server = createServer(receiveDeliveries({ book, secrets: [secret], now: () => now.getTime() }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign(id, now, body),
  }
  const { status } = await fetch(`http://127.0.0.1:${address.port}/`, { method: 'POST', headers, body })
  server.close()
  return status
}
