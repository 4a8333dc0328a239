// time limit: 300 s
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCluster } from '../../../../tools/postgres.ts'
import { findCard, insertCard } from '../cards.ts'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { countVerifiedEntries } from '../suite/audit.suite.ts'
import { makeCard, makeAuditEntry } from '../suite/samples.fixture.ts'
import { openPostgresStore } from './postgres.ts'
import { withTestAuditKey } from '../suite/audit-key.fixture.ts'

test('a server crash loses no acknowledged write, and writes work again when it is back', async () => {
  const cluster = await startCluster()
  const store = withTestAuditKey(await openPostgresStore({ url: cluster.url, node: 'crash' }))
  try {
    assert.equal(store.durability, 'local')
    const stored: number[] = []
    const unknownOutcomes: number[] = []
    const unexpected: unknown[] = []
    let next = 0
    let running = true
    const write = async (): Promise<void> => {
      while (running) {
        const number = next++
        await store.write(insertCard, { card: makeCard(number), audit: makeAuditEntry(makeCard(number)) }).then(
          () => stored.push(number),
          (err: unknown) => {
            if (err instanceof StoreOutcomeUnknown) unknownOutcomes.push(number)
            else if (!(err instanceof StoreUnavailable)) unexpected.push(err)
          },
        )
        // Rejections come at once, so yield to the other writers.
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const load = Promise.all(Array.from({ length: 16 }, write))
    const untilStored = async (count: number): Promise<void> => {
      const target = stored.length + count
      while (stored.length < target) await new Promise((resolve) => setImmediate(resolve))
    }
    for (let cycle = 0; cycle < 3; cycle++) {
      await untilStored(300)
      await cluster.crash()
      await cluster.start()
    }
    await untilStored(300)
    running = false
    await load

    assert.deepEqual(unexpected, [])
    for (const number of stored) assert.deepEqual(await store.read(findCard(makeCard(number))), makeCard(number))
    const entries = await countVerifiedEntries(store)
    assert.ok(
      entries >= stored.length && entries <= stored.length + unknownOutcomes.length,
      `${entries} entries, ${stored.length} stored, ${unknownOutcomes.length} unknown`,
    )
  } finally {
    await store.close(1000)
    await cluster.stop()
  }
})

test('a server with fsync off is refused at the start', async () => {
  const cluster = await startCluster({ settings: { fsync: 'off' } })
  try {
    await assert.rejects(openPostgresStore({ url: cluster.url }), /fsync and full_page_writes have to be on/)
    await openPostgresStore({ url: cluster.url, allowUnsafe: true }).then((store) => store.close(1000))
  } finally {
    await cluster.stop()
  }
})
