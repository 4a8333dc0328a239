// time limit: 300 s
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCluster } from '../../../../tools/postgres.ts'
import { findCard, insertCard } from '../cards.ts'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { sumOfSoundChains } from '../suite/audit.suite.ts'
import { makeCard, makeAuditEntry } from '../suite/samples.fixture.ts'
import { openPostgresStore } from './postgres.ts'

test('a server crash loses no acknowledged write, and writes work again when it is back', async () => {
  const cluster = await startCluster()
  const store = await openPostgresStore({ url: cluster.url, node: 'crash' })
  try {
    assert.equal(store.durability, 'local')
    const kept: number[] = []
    const unknown: number[] = []
    const strange: unknown[] = []
    let next = 0
    let running = true
    const write = async (): Promise<void> => {
      while (running) {
        const number = next++
        await store.write(insertCard, { card: makeCard(number), audit: makeAuditEntry(makeCard(number)) }).then(
          () => kept.push(number),
          (err: unknown) => {
            if (err instanceof StoreOutcomeUnknown) unknown.push(number)
            else if (!(err instanceof StoreUnavailable)) strange.push(err)
          },
        )
        // Refusals come at once; whoever goes on leaves others their turn.
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const load = Promise.all(Array.from({ length: 16 }, write))
    const untilKept = async (count: number): Promise<void> => {
      const goal = kept.length + count
      while (kept.length < goal) await new Promise((resolve) => setImmediate(resolve))
    }
    for (let cycle = 0; cycle < 3; cycle++) {
      await untilKept(300)
      await cluster.crash()
      await cluster.start()
    }
    await untilKept(300)
    running = false
    await load

    assert.deepEqual(strange, [])
    for (const number of kept) assert.deepEqual(await store.read(findCard(makeCard(number))), makeCard(number))
    const entries = await sumOfSoundChains(store)
    assert.ok(
      entries >= kept.length && entries <= kept.length + unknown.length,
      `${entries} entries, ${kept.length} kept, ${unknown.length} unknown`,
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
