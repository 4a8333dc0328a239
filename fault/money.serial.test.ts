// time limit: 900 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Trial } from './experiment.ts'
import { makeHomes, type StoreKind } from './home.ts'
import type { Kills } from './kills.ts'
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

/** It is killed until it is found, four times at least. */
function madeWrong(double: string): Kills {
  return { cycles: 4, cyclesMax: 16, imports: [new URL(`./doubles/${double}.ts`, import.meta.url)] }
}

for (const store of ['sqlite', 'postgres'] as const) {
  test(`the network, every receipt and the merchant that is asked agree after six kills amid payments, on ${store}`, async () => {
    const { acknowledged, lost, complaints } = await killPayments(trialOf(store), { cycles: 6 })
    assert.deepEqual({ lost, complaints }, { lost: 0, complaints: [] })
    assert.ok(acknowledged > 20, `only ${acknowledged} deeds were acknowledged`)
  })
}

test('money that is acknowledged before COMMIT is found by killing the service', async () => {
  const { lost } = await killPayments(trialOf('sqlite'), madeWrong('acknowledge-money-early'))
  assert.ok(lost > 0)
})

test('a service that does not tell a merchant that it was paid is found', async () => {
  const { lost } = await killPayments(trialOf('sqlite'), madeWrong('tell-no-merchant'))
  assert.ok(lost > 0)
})

test('a service that takes silence for a refusal is found', async () => {
  const { lost } = await killPayments(trialOf('sqlite'), madeWrong('forget-unknown'), ['lose_answer'])
  assert.ok(lost > 0)
})
