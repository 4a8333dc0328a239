// time limit: 300 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Trial } from './experiment.ts'
import { makeHomes, type StoreKind } from './home.ts'
import { killOften } from './kill9.ts'
import { killAll } from './spawn.ts'

const homes = makeHomes()
after(async () => {
  await killAll()
  await homes.close()
})

function trialOf(store: StoreKind): Trial {
  return { store, seed: 20_261_121, cycles: 5, homes, say: () => undefined }
}

for (const store of ['sqlite', 'postgres'] as const) {
  test(`nothing acknowledged is lost in five kills under load, on ${store}`, async () => {
    const { acknowledged, lost, complaints } = await killOften(trialOf(store), { cycles: 5 })
    assert.deepEqual({ lost, complaints }, { lost: 0, complaints: [] })
    assert.ok(acknowledged > 20, `only ${acknowledged} deeds were acknowledged`)
  })

  test(`a service that acknowledges before COMMIT is found by killing it, on ${store}`, async () => {
    const imports = [new URL('./doubles/acknowledge-early.ts', import.meta.url)]
    const { lost } = await killOften(trialOf(store), { cycles: 1, cyclesMax: 20, imports })
    assert.ok(lost > 0)
  })
}
