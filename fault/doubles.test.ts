import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../', import.meta.url)
const folders = ['fault/doubles/', 'bench/doubles/']

/** Every `replaceModule('<path>', '<double>')` of the preloaded modules. */
function listReplacements(): [path: string, double: string][] {
  return folders.flatMap((folder) =>
    readdirSync(new URL(folder, root)).flatMap((name) => {
      const text = readFileSync(new URL(folder + name, root), 'utf8')
      return [...text.matchAll(/^replaceModule\('([^']+)', '([^']+)'\)$/gm)].map(([, path = '', double = '']): [string, string] => [
        path,
        double,
      ])
    }),
  )
}

test('every double exports what its original exports, so that a rename cannot disable the planted fault', async () => {
  const replacements = listReplacements()
  assert.ok(replacements.length > 8)
  for (const [path, double] of replacements) {
    const real = Object.keys((await import(new URL(path, root).href)) as object)
    const replaced = Object.keys((await import(new URL(double, root).href)) as object)
    const isStore = path.includes('/store/sqlite/sqlite') || path.includes('/store/postgres/')
    // A double of both stores exports what each of them does.
    const [expected, actual] = isStore ? [real, replaced.filter((name) => real.includes(name))] : [real, replaced]
    assert.deepEqual(actual.sort(), expected.sort(), `${double} for ${path}`)
  }
})
