// time limit: 300 s
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import type { Store } from '../store.ts'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { sumOfSoundChains } from '../suite/audit.suite.ts'
import { makeAttempt, makeCard, makeNote, momentAt, nextOf, shreddedOf } from '../suite/samples.fixture.ts'
import { openPostgresStore } from './postgres.ts'
import { openProxy } from './proxy.fixture.ts'
import type { Deed, Proxy } from './proxy.fixture.ts'
import { withPostgres } from './with-store.fixture.ts'
import type { TestDatabase } from './with-store.fixture.ts'

test(
  'a connection lost after COMMIT was sent is an unknown outcome, never repeated, and the chain goes on from what is there',
  withProxy(async ({ proxy, store, raw }) => {
    for (const [number, [deed, isThere]] of (
      [
        ['cutAfter', true],
        ['cutBefore', false],
      ] as const
    ).entries()) {
      await insert(store, 10 + number)
      proxy.behave(once('commit', deed))
      await assert.rejects(insert(store, number), StoreOutcomeUnknown)
      assert.equal((await store.findCard(makeCard(number))) !== null, isThere)
      await insert(store, 20 + number)
    }
    const entries = (await raw('select seq from audit')).length
    assert.equal(entries, 5)
    assert.equal(await sumOfSoundChains(store), entries)
  }),
)

test(
  'many cards in one transaction share its unknown outcome',
  withProxy(async ({ proxy, store }) => {
    proxy.behave(once('commit', 'cutAfter'))
    const kept = await Promise.allSettled([1, 2, 3].map((number) => insert(store, number)))
    assert.ok(kept.every((each) => each.status === 'rejected' && each.reason instanceof StoreOutcomeUnknown))
    for (const number of [1, 2, 3]) assert.deepEqual(await store.findCard(makeCard(number)), makeCard(number))
    assert.equal(await sumOfSoundChains(store), 3)
  }),
)

test(
  'a connection lost before COMMIT was sent means that nothing was done',
  withProxy(async ({ proxy, store }) => {
    proxy.behave(once('begin', 'cutBefore'))
    await assert.rejects(insert(store, 1), StoreUnavailable)
    assert.equal(await store.findCard(makeCard(1)), null)
    await insert(store, 1)
    assert.equal(await sumOfSoundChains(store), 1)
  }),
)

test(
  'a commit that the server warns of is an unknown outcome',
  withProxy(async ({ proxy, store }) => {
    proxy.behave(once('commit', 'warn'))
    await assert.rejects(insert(store, 1), StoreOutcomeUnknown)
    await insert(store, 2)
    assert.equal(await sumOfSoundChains(store), 2)
  }),
)

test(
  'a server that falls silent is given up within three seconds, by what was asked of it',
  withProxy(async ({ proxy, store }) => {
    await insert(store, 0)
    const cases: readonly (readonly [string, () => Promise<unknown>, typeof StoreUnavailable])[] = [
      ['begin', () => insert(store, 1), StoreUnavailable],
      ['commit', () => insert(store, 2), StoreOutcomeUnknown],
    ]
    for (const [word, ask, error] of cases) {
      proxy.behave(once(word, 'hold'))
      const before = performance.now()
      await assert.rejects(ask(), error)
      assert.ok(performance.now() - before < 3000, word)
      await insert(store, word === 'begin' ? 3 : 4)
    }
    proxy.behave(() => 'hold')
    const before = performance.now()
    const asked = Array.from({ length: 40 }, (_, n) => insert(store, 100 + n))
    const changed = Array.from({ length: 40 }, () => store.changeCard(nextOf(makeCard(3)), makeNote(makeCard(3))))
    const [inserted, others] = await Promise.all([Promise.allSettled(asked), Promise.allSettled(changed)])
    // New cards go out with their COMMIT; a change had not come as far.
    const isRefused = (reason: unknown): boolean => reason instanceof StoreUnavailable
    assert.ok(
      inserted.every((each) => each.status === 'rejected' && (isRefused(each.reason) || each.reason instanceof StoreOutcomeUnknown)),
    )
    assert.ok(others.every((each) => each.status === 'rejected' && isRefused(each.reason)))
    assert.ok(performance.now() - before < 5000)
  }),
)

test(
  'the primary is found among several hosts, and while there is none every call fails fast',
  withProxy(async ({ proxy, store }) => {
    const { host } = new URL(proxy.url)
    const several = proxy.url.replace(host, `127.0.0.1:1,${host}`)
    const found = await openPostgresStore({ url: several, node: 'several', allowUnsafe: true })
    await insert(found, 1)
    assert.deepEqual(await store.findCard(makeCard(1)), makeCard(1))
    await proxy.close()
    await assert.rejects(insert(found, 2), StoreUnavailable)
    const before = performance.now()
    for (let n = 0; n < 20; n++) await assert.rejects(insert(found, 3), StoreUnavailable)
    await assert.rejects(found.findCard(makeCard(1)), StoreUnavailable)
    await assert.rejects(found.ping(), StoreUnavailable)
    assert.ok(performance.now() - before < 500)
    await found.close(100)
    await assert.rejects(openPostgresStore({ url: several, allowUnsafe: true }), /no primary among 2 host\(s\)/)
  }),
)

test(
  'a session that would acknowledge from memory is told to wait for the disk',
  withPostgres(async ({ url }) => {
    const off = new URL(url)
    off.searchParams.set('options', `${off.searchParams.get('options') ?? ''} -c synchronous_commit=off`)
    const proxy = await openProxy(off.href)
    const store = await openPostgresStore({ url: proxy.url, allowUnsafe: true })
    await insert(store, 1)
    const settings = proxy.said.filter((text) => text.startsWith('set synchronous_commit'))
    assert.ok(settings.length > 0)
    for (const text of settings) assert.match(text, /^set synchronous_commit = 'on'/)
    await store.close(1000)
    await proxy.close()
  }),
)

test(
  'a deadlock is tried again, and the change is made once',
  withPostgres(async ({ store, url }) => {
    const card = makeCard(1)
    await insert(store, 1)
    await store.beginVerification(makeAttempt(card, 'one', momentAt(0)), { resendWaitMs: 1, pan: null }, makeNote(card))
    const [rival, watch] = await Promise.all([connect(url), connect(url)])
    try {
      // Not the rival is to find the deadlock (only a superuser may say so).
      await rival.query(`set deadlock_timeout = '10s'`).catch(() => undefined)
      await rival.query('begin')
      await rival.query(`update cards set type = type where card_id = '${card.cardId}'`)
      const gone = shreddedOf(card)
      const changed = store.changeCard(gone, makeNote(gone))
      await untilWaiting(watch)
      // Now each waits for the other; the server ends our transaction.
      await rival.query(`update verifications set tries = tries where card_id = '${card.cardId}'`)
      await rival.query('commit')
      assert.equal(await changed, true)
      assert.deepEqual(await store.findCard(card), gone)
      assert.equal(await sumOfSoundChains(store), 3)
    } finally {
      await Promise.all([rival.end(), watch.end()])
    }
  }),
)

test(
  'services that write under one name keep their chains apart, and lose nothing',
  withPostgres(async ({ store, url }) => {
    const twin = await openPostgresStore({ url, node: 'test', allowUnsafe: true })
    for (let round = 0; round < 10; round++) {
      const numbers = Array.from({ length: 12 }, (_, n) => round * 100 + n)
      const written = numbers.flatMap((number) => [
        insert(store, number).then(() => store.changeCard(nextOf(makeCard(number)), makeNote(nextOf(makeCard(number))))),
        insert(twin, number + 50).then(() => twin.changeCard(nextOf(makeCard(number + 50)), makeNote(nextOf(makeCard(number + 50))))),
      ])
      await Promise.all(written)
    }
    assert.equal(await sumOfSoundChains(store), 10 * 12 * 2 * 2)
    await twin.close(1000)
  }),
)

test(
  'many starts at once on an empty database migrate it once',
  withPostgres(async ({ raw, url, store }) => {
    await store.close(1000)
    await raw('drop table migrations, merchants, cards, verifications, send_limits, day_tries, audit, sandbox_steps, sms_inbox')
    const migrated: string[] = []
    const starts = Array.from({ length: 6 }, () =>
      openPostgresStore({ url, writers: 1, readers: 1, allowUnsafe: true, log: (event) => migrated.push(event) }),
    )
    for (const opened of await Promise.all(starts)) await opened.close(1000)
    assert.deepEqual(migrated, ['store_migrated'])
  }),
)

function withProxy(run: (parts: { proxy: Proxy; store: Store } & TestDatabase) => Promise<void>): () => Promise<void> {
  return withPostgres(async ({ url, raw }) => {
    const proxy = await openProxy(url)
    const store = await openPostgresStore({ url: proxy.url, node: 'proxied', allowUnsafe: true, writers: 2 })
    try {
      await run({ proxy, store, url, raw })
    } finally {
      await store.close(100)
      await proxy.close()
    }
  })
}

/** Does a deed at the next time that a word is said, and nothing afterwards. */
function once(word: string, deed: Deed): (text: string) => Deed {
  let done = false
  return (text) => {
    if (done || text !== word) return 'pass'
    done = true
    return deed
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/** Until somebody waits for a lock in this database. */
async function untilWaiting(watch: pg.Client): Promise<void> {
  const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  for (let looks = 0; looks < 10_000; looks++) {
    if ((await watch.query(waiting)).rows.length > 0) return
  }
  throw new Error('nobody waits')
}

async function insert(store: Store, number: number): Promise<void> {
  await store.insertCard(makeCard(number), makeNote(makeCard(number), 'card.created'))
}
