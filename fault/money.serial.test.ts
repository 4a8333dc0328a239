// time limit: 420 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Trial } from './experiment.ts'
import { makeHomes, type StoreKind } from './home.ts'
import { killPayments } from './money.ts'
import { killAll } from './spawn.ts'

const homes = makeHomes()
after(async () => {
  await killAll()
  await homes.close()
})

function trialOf(store: StoreKind): Trial {
  return { store, seed: 20_261_121, cycles: 6, homes, say: () => undefined }
}

for (const store of ['sqlite', 'postgres'] as const) {
  test(`the network, every receipt and the merchant that is asked agree after six kills amid payments, on ${store}`, async () => {
    const { acknowledged, lost, complaints } = await killPayments(trialOf(store), 6)
    assert.deepEqual({ lost, complaints }, { lost: 0, complaints: [] })
    assert.ok(acknowledged > 20, `only ${acknowledged} deeds were acknowledged`)
  })
}

test('money that is acknowledged before COMMIT is found by killing the service', async () => {
  const { lost } = await killPayments(trialOf('sqlite'), 4, [new URL('./doubles/acknowledge-money-early.ts', import.meta.url)])
  assert.ok(lost > 0)
})

test('a service that does not tell a merchant that it was paid is found', async () => {
  const { lost } = await killPayments(trialOf('sqlite'), 4, [new URL('./doubles/tell-no-merchant.ts', import.meta.url)])
  assert.ok(lost > 0)
})

test('a service that takes silence for a refusal is found', async () => {
  const { lost } = await killPayments(trialOf('sqlite'), 4, [new URL('./doubles/forget-unknown.ts', import.meta.url)], ['lose_answer'])
  assert.ok(lost > 0)
})
