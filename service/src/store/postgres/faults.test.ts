// time limit: 300 s
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCard, insertCard, updateCard } from '../cards.ts'
import { type Store, StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { countVerifiedEntries } from '../suite/audit.suite.ts'
import { makeCard, makeAuditEntry, nextVersion } from '../suite/samples.fixture.ts'
import { openPostgresStore } from './postgres.ts'
import { openPostgresProxy } from './proxy.fixture.ts'
import type { ProxyBehavior, PostgresProxy } from './proxy.fixture.ts'
import { withPostgres } from './with-store.fixture.ts'
import type { TestDatabase } from './with-store.fixture.ts'
import { withTestAuditKey } from '../suite/audit-key.fixture.ts'

test(
  'a connection lost after COMMIT was sent is an unknown outcome, never retried, and the chain continues from what was committed',
  withProxy(async ({ proxy, store, raw }) => {
    for (const [number, [behavior, isThere]] of (
      [
        ['cutAfter', true],
        ['cutBefore', false],
      ] as const
    ).entries()) {
      await insert(store, 10 + number)
      proxy.behave(once('commit', behavior))
      await assert.rejects(insert(store, number), StoreOutcomeUnknown)
      assert.equal((await store.read(findCard(makeCard(number)))) !== null, isThere)
      await insert(store, 20 + number)
    }
    const entries = (await raw('select seq from audit')).length
    assert.equal(entries, 5)
    assert.equal(await countVerifiedEntries(store), entries)
  }),
)

test(
  'many cards in one transaction share its unknown outcome',
  withProxy(async ({ proxy, store }) => {
    proxy.behave(once('commit', 'cutAfter'))
    const results = await Promise.allSettled([1, 2, 3].map((number) => insert(store, number)))
    assert.ok(results.every((each) => each.status === 'rejected' && each.reason instanceof StoreOutcomeUnknown))
    for (const number of [1, 2, 3]) assert.deepEqual(await store.read(findCard(makeCard(number))), makeCard(number))
    assert.equal(await countVerifiedEntries(store), 3)
  }),
)

test(
  'a connection lost before COMMIT was sent means that nothing was written',
  withProxy(async ({ proxy, store }) => {
    await insert(store, 1)
    proxy.behave(once('begin', 'cutBefore'))
    await assert.rejects(change(store, 1), StoreUnavailable)
    assert.deepEqual(await store.read(findCard(makeCard(1))), makeCard(1))
    assert.equal(await change(store, 1), true)
    assert.equal(await countVerifiedEntries(store), 2)
  }),
)

test(
  'a commit with a warning of the server is an unknown outcome',
  withProxy(async ({ proxy, store }) => {
    proxy.behave(once('commit', 'warn'))
    await assert.rejects(insert(store, 1), StoreOutcomeUnknown)
    await insert(store, 2)
    assert.equal(await countVerifiedEntries(store), 2)
  }),
)

test(
  'a silent server is given up within three seconds, by reads and writes',
  withProxy(async ({ proxy, store }) => {
    await insert(store, 0)
    const cases: readonly (readonly [string, () => Promise<unknown>, typeof StoreUnavailable])[] = [
      ['begin', () => change(store, 0), StoreUnavailable],
      ['commit', () => change(store, 0), StoreOutcomeUnknown],
      ['begin', () => insert(store, 1), StoreOutcomeUnknown],
    ]
    for (const [query, write, error] of cases) {
      proxy.behave(once(query, 'hold'))
      const before = performance.now()
      await assert.rejects(write(), error)
      assert.ok(performance.now() - before < 3000, query)
      proxy.behave(() => 'pass')
      await untilServed(store)
    }
    await insert(store, 3)
    proxy.behave(() => 'hold')
    const before = performance.now()
    const insertions = Array.from({ length: 40 }, (_, n) => insert(store, 100 + n))
    const changes = Array.from({ length: 40 }, () => change(store, 3))
    const [inserted, changedResults] = await Promise.all([Promise.allSettled(insertions), Promise.allSettled(changes)])
    // New cards are sent together with COMMIT, so their outcome may be unknown; a change had not reached COMMIT.
    const isRefused = (reason: unknown): boolean => reason instanceof StoreUnavailable
    assert.ok(
      inserted.every((each) => each.status === 'rejected' && (isRefused(each.reason) || each.reason instanceof StoreOutcomeUnknown)),
    )
    assert.ok(changedResults.every((each) => each.status === 'rejected' && isRefused(each.reason)))
    assert.ok(performance.now() - before < 5000)
  }),
)

test(
  'after a connection fell silent the next call fails at once, and calls are served again within seconds',
  withProxy(async ({ proxy, store }) => {
    await insert(store, 0)
    proxy.behave(once('commit', 'hold'))
    // COMMIT waits for no row of somebody else, as the statements before it may.
    await assert.rejects(change(store, 0), StoreOutcomeUnknown)
    const before = performance.now()
    // The other writer's connection works; the silent one has not been reopened yet.
    const again = await Promise.allSettled([change(store, 999), change(store, 999), change(store, 999)])
    assert.ok(again.some(({ status }) => status === 'rejected'))
    assert.ok(performance.now() - before < 500)
    await untilServed(store)
  }),
)

test(
  'the primary is found among several hosts, and while there is none every call fails fast',
  withProxy(async ({ proxy, store }) => {
    const { host } = new URL(proxy.url)
    const several = proxy.url.replace(host, `127.0.0.1:1,${host}`)
    const found = withTestAuditKey(await openPostgresStore({ url: several, node: 'several', allowUnsafe: true }))
    await insert(found, 1)
    assert.deepEqual(await store.read(findCard(makeCard(1))), makeCard(1))
    await proxy.close()
    await assert.rejects(change(found, 1), StoreUnavailable)
    const before = performance.now()
    for (let n = 0; n < 20; n++) await assert.rejects(insert(found, 3), StoreUnavailable)
    await assert.rejects(found.read(findCard(makeCard(1))), StoreUnavailable)
    await assert.rejects(found.ping(), StoreUnavailable)
    assert.ok(performance.now() - before < 500)
    await found.close(100)
    await assert.rejects(openPostgresStore({ url: several, allowUnsafe: true }), /no primary among 2 host\(s\)/)
  }),
)

test(
  'synchronous_commit=off of a session is replaced by on',
  withPostgres(async ({ url }) => {
    const off = new URL(url)
    off.searchParams.set('options', `${off.searchParams.get('options') ?? ''} -c synchronous_commit=off`)
    const proxy = await openPostgresProxy(off.href)
    const store = withTestAuditKey(await openPostgresStore({ url: proxy.url, allowUnsafe: true }))
    await insert(store, 1)
    const settings = proxy.queries.filter((text) => text.startsWith('set synchronous_commit'))
    assert.ok(settings.length > 0)
    for (const text of settings) assert.match(text, /^set synchronous_commit = 'on'/)
    await store.close(1000)
    await proxy.close()
  }),
)

test(
  'a transaction that failed with a deadlock is retried a few times',
  withProxy(async ({ proxy, store }) => {
    await insert(store, 1)
    proxy.behave(once('begin', 'deadlock'))
    assert.equal(await change(store, 1), true)
    proxy.behave(once('begin', 'deadlock'))
    await insert(store, 2)
    assert.equal(await countVerifiedEntries(store), 3)

    let begun = 0
    proxy.behave((text) => {
      if (text !== 'begin') return 'pass'
      begun++
      return 'deadlock'
    })
    await assert.rejects(change(store, 2), StoreUnavailable)
    assert.equal(begun, 4)
    proxy.behave(() => 'pass')
    assert.equal(await change(store, 2), true)
    assert.equal(await countVerifiedEntries(store), 4)
  }),
)

test(
  'services with the same name keep separate audit chains and lose nothing',
  withPostgres(async ({ store, url }) => {
    const sameName = withTestAuditKey(await openPostgresStore({ url, node: 'test', allowUnsafe: true }))
    for (let round = 0; round < 10; round++) {
      const numbers = Array.from({ length: 12 }, (_, n) => round * 100 + n)
      const written = numbers.flatMap((number) => [
        insert(store, number).then(() =>
          store.write(updateCard, { card: nextVersion(makeCard(number)), audit: makeAuditEntry(nextVersion(makeCard(number))) }),
        ),
        insert(sameName, number + 50).then(() =>
          sameName.write(updateCard, {
            card: nextVersion(makeCard(number + 50)),
            audit: makeAuditEntry(nextVersion(makeCard(number + 50))),
          }),
        ),
      ])
      await Promise.all(written)
    }
    assert.equal(await countVerifiedEntries(store), 10 * 12 * 2 * 2)
    await sameName.close(1000)
  }),
)

test(
  'many concurrent starts on an empty database migrate it once',
  withPostgres(async ({ raw, url, store }) => {
    await store.close(1000)
    const tables = await raw('select tablename as name from pg_tables where schemaname = current_schema()')
    await raw(`drop table ${tables.map(({ name }) => String(name)).join(', ')}`)
    const migrated: string[] = []
    const starts = Array.from({ length: 6 }, () =>
      openPostgresStore({ url, writers: 1, readers: 1, allowUnsafe: true, log: (event) => migrated.push(event) }),
    )
    for (const opened of await Promise.all(starts)) await opened.close(1000)
    assert.deepEqual(migrated, ['store_created'])
  }),
)

function withProxy(run: (context: { proxy: PostgresProxy; store: Store } & TestDatabase) => Promise<void>): () => Promise<void> {
  return withPostgres(async ({ url, raw }) => {
    const proxy = await openPostgresProxy(url)
    const store = withTestAuditKey(await openPostgresStore({ url: proxy.url, node: 'proxied', allowUnsafe: true, writers: 2 }))
    try {
      await run({ proxy, store, url, raw })
    } finally {
      await store.close(100)
      await proxy.close()
    }
  })
}

/** Applies a behavior to the next query with this text, and passes everything afterwards. */
function once(query: string, behavior: ProxyBehavior): (text: string) => ProxyBehavior {
  let done = false
  return (text) => {
    if (done || text !== query) return 'pass'
    done = true
    return behavior
  }
}

function change(store: Store, number: number): Promise<boolean> {
  const next = nextVersion(makeCard(number))
  return store.write(updateCard, { card: next, audit: makeAuditEntry(next) })
}

/** After a connection fell silent, calls fail fast for a moment. Waits until they are served again. */
async function untilServed(store: Store): Promise<void> {
  const giveUpAt = performance.now() + 5000
  // Two at once, one per writer. The card does not exist, so nothing is changed.
  while ((await Promise.allSettled([change(store, 999), change(store, 999)])).some(({ status }) => status === 'rejected')) {
    assert.ok(performance.now() < giveUpAt, 'calls are not served again')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function insert(store: Store, number: number): Promise<void> {
  await store.write(insertCard, { card: makeCard(number), audit: makeAuditEntry(makeCard(number), 'card.created') })
}
