import assert from 'node:assert/strict'
import { test } from 'node:test'

import { plantedFaults } from './planted-faults.ts'

const root = new URL('../', import.meta.url)

test('every double exports what its original exports, so that a rename cannot disable the planted fault', async () => {
  const replacements = Object.values(plantedFaults).flatMap((url) => [...url.searchParams])
  assert.ok(replacements.length >= Object.keys(plantedFaults).length)
  for (const [path, double] of replacements) {
    const real = Object.keys((await import(new URL(path, root).href)) as object)
    const replaced = Object.keys((await import(new URL(double, root).href)) as object)
    const isStore = path.includes('/store/sqlite/sqlite') || path.includes('/store/postgres/')
    // A double of both stores exports what each of them does.
    const [expected, actual] = isStore ? [real, replaced.filter((name) => real.includes(name))] : [real, replaced]
    assert.deepEqual(actual.sort(), expected.sort(), `${double} for ${path}`)
  }
})
