// needs: strace
// time limit: 300 s
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { findCard, insertCard } from '../cards.ts'
import { listScenarioSteps, setScenarioStep } from '../sandbox.ts'
import { type Store, StoreFull, StoreOverloaded } from '../store.ts'
import { countVerifiedEntries } from '../suite/audit.suite.ts'
import { makeCard, makeAuditEntry } from '../suite/samples.fixture.ts'
import { runInsertLoad } from './load.fixture.ts'
import { openSqliteStore, SQLITE_FILE } from './sqlite.ts'
import { withFolder, withSqlite } from './with-store.fixture.ts'
import { withTestAuditKey } from '../suite/audit-key.fixture.ts'

test('acknowledged writes survive kill -9, in every cycle', () =>
  withFolder(async (folder) => {
    const stored: number[] = []
    for (let cycle = 0; cycle < 8; cycle++) {
      const result = await runInsertLoad(folder, cycle * 100_000, ({ stored: { length } }, child) => {
        if (length === 200 + cycle * 50) child.kill('SIGKILL')
      })
      stored.push(...result.stored)
      await withReopened(folder, async (store) => {
        await assertStored(store, result.stored)
        assert.ok((await countVerifiedEntries(store)) >= stored.length)
      })
    }
    await withReopened(folder, (store) => assertStored(store, stored))
  }))

test('a failing fsync ends the service before it acknowledges, and every acknowledged write is there', () =>
  withFolder(async (folder) => {
    for (const [round, at] of [9, 14, 23].entries()) {
      const result = await runInsertLoad(folder, round * 100_000, () => undefined, injecting(folder, 'fsync', `error=EIO:when=${at}+`))
      assert.equal(result.exitCode, 70, result.stderr)
      assert.match(result.stderr, /tessera ends: the embedded database failed: disk I\/O error/)
      await withReopened(folder, async (store) => {
        await assertStored(store, result.stored)
        assert.ok((await countVerifiedEntries(store)) >= result.stored.length)
      })
    }
  }))

test('with a full disk writes are refused and reads served, and writes work again when there is room', () =>
  withFolder(async (folder) => {
    await openSqliteStore({ folder }).then((store) => store.close(1000))
    const result = await runInsertLoad(
      folder,
      0,
      ({ stored, full }, child) => {
        // Cards were stored again after the disk was full.
        if (full.length > 0 && stored.length > 0 && (stored.at(-1) ?? 0) > (full.at(-1) ?? 0) + 100) child.kill('SIGKILL')
      },
      injecting(folder, 'pwrite64', 'error=ENOSPC:when=200..260'),
    )
    assert.ok(result.full.length > 0, result.stderr)
    await withReopened(folder, async (store) => {
      await assertStored(store, result.stored)
      for (const number of result.full) assert.equal(await store.read(findCard(makeCard(number))), null)
      assert.ok((await countVerifiedEntries(store)) >= result.stored.length)
    })
  }))

test('a database at its maximum size refuses writes, keeps what it acknowledged, and grows when the limit is raised', () =>
  withFolder(async (folder) => {
    const stored: number[] = []
    const refused: unknown[] = []
    await withReopened(
      folder,
      async (store) => {
        for (let number = 0; number < 300; number++) {
          const inserted = store.write(insertCard, { card: makeCard(number), audit: makeAuditEntry(makeCard(number)) })
          await inserted.then(
            () => stored.push(number),
            (err: unknown) => refused.push(err),
          )
        }
        await assertStored(store, stored)
        assert.equal(await countVerifiedEntries(store), stored.length)
      },
      60,
    )
    assert.ok(stored.length > 0 && refused.length > 0)
    assert.ok(refused.every((reason) => reason instanceof StoreFull))
    await withReopened(folder, async (store) => {
      await store.write(insertCard, { card: makeCard(5000), audit: makeAuditEntry(makeCard(5000)) })
      assert.equal(await countVerifiedEntries(store), stored.length + 1)
    })
  }))

test(
  'more waiting writes than allowed are refused at once, and those that wait are committed',
  withSqlite(async ({ store }) => {
    const written = await Promise.allSettled(
      Array.from({ length: 9000 }, (_, n) => store.write(setScenarioStep, { merchantId: 'm', scenario: `${n % 50}`, step: 'create' })),
    )
    const refused = written.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
    assert.equal(refused.length, 9000 - 8192)
    assert.ok(refused.every((reason) => reason instanceof StoreOverloaded))
    assert.equal((await store.read(listScenarioSteps('m'))).length, 50)
  }),
)

/** strace that makes a system call on the WAL fail. */
function injecting(folder: string, call: string, fault: string): string[] {
  const path = join(folder, `${SQLITE_FILE}-wal`)
  return [
    'strace',
    '-f',
    '--seccomp-bpf',
    '-qq',
    '-o',
    '/dev/null',
    '-P',
    path,
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:${fault}`,
    '--',
  ]
}

async function withReopened(folder: string, check: (store: Store) => Promise<void>, maxPages?: number): Promise<void> {
  const store = withTestAuditKey(await openSqliteStore(maxPages === undefined ? { folder } : { folder, maxPages }))
  try {
    await check(store)
  } finally {
    await store.close(5000)
  }
}

async function assertStored(store: Store, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) assert.deepEqual(await store.read(findCard(makeCard(number))), makeCard(number))
}
