import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../../..')

test('every metric is in the table of docs/operating/running.md, and every metric there exists', () => {
  const registered = new Set(
    sources().flatMap((text) => [...text.matchAll(/'(tessera_[a-z_]+)',?\s+(?:help:|['"])|name: '(tessera_[a-z_]+)'/g)].map(nameOf)),
  )
  assert.ok(registered.size > 30, [...registered].join(' '))
  const documented = new Set(
    [...readFileSync(join(root, 'docs/operating/running.md'), 'utf8').matchAll(/`(tessera_[a-z_]+)`/g)].map(nameOf),
  )
  assert.deepEqual(
    [...registered].filter((name) => !documented.has(name)),
    [],
  )
  assert.deepEqual(
    [...documented].filter((name) => !registered.has(name)),
    [],
  )
})

function nameOf([, one, other]: RegExpMatchArray): string {
  return one ?? other ?? ''
}

/** The program without its tests. */
function sources(): string[] {
  const folder = join(root, 'service/src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.(test|suite|fixture)\.ts$/.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
}
