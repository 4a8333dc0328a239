// time limit: 240 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bitFlips } from './bit-flips.ts'
import { createServiceDataFactory, type StoreKind } from './service-data.ts'
import { killAll } from './spawn.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

test('20 flipped bits are reported or harmless, and an older database and a cut log are reported', () => holds('sqlite', 2))

test('20 flipped bits in the files of PostgreSQL are reported as damage, with data checksums and with amcheck', () => holds('postgres', 1))

async function holds(store: StoreKind, cycles: number): Promise<void> {
  const result = await bitFlips.run({ store, cycles, seed: 1, dataFactory, say: () => undefined })
  const { lost, complaints, control } = result
  assert.deepEqual({ lost, complaints, isFound: control.isFound }, { lost: 0, complaints: [], isFound: true }, control.details)
}
