import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLintCache } from './lint-cache.ts'
import { treeOf } from './tree.ts'

const texts = {
  'package-lock.json': '{}',
  'eslint.config.js': 'export default []',
  'tsconfig.json': '{}',
  'contract/src/card.ts': 'export type Card = { number: string }',
  'vault/src/seal.ts': "import type { Card } from '@tessera/contract/card'\nexport type Sealed = Card",
  'service/src/app.ts': "import { type Sealed } from '../../vault/src/seal.ts'\nexport const sealed: Sealed | null = null",
  'service/src/page.tsx': "export * from './app.ts'",
  'examples/shop.ts': "import { pay } from '@tessera/client'\npay()",
  'client/src/index.ts': 'export const pay = (): void => undefined',
  'tools/clock.ts': 'export const now = 1',
}
const code = Object.keys(texts).filter((path) => /\.tsx?$/.test(path))

/** The files that are linted again after everything has passed and then some texts were changed. */
function listStaleAfter(changed: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'lint-cache-'))
  const file = join(folder, 'deep', 'passed.json')
  const first = openLintCache(treeOf(texts), file)
  assert.deepEqual(first.listStale(), code, 'everything is linted without a cache')
  first.save()
  const stale = openLintCache(treeOf({ ...texts, ...changed }), file).listStale()
  rmSync(folder, { recursive: true })
  return stale
}

test('nothing is linted again when nothing has changed', () => {
  assert.deepEqual(listStaleAfter({ 'README.md': 'new' }), [])
})

test('a changed file is linted again, with every file that imports it directly or not, by its types too', () => {
  assert.deepEqual(listStaleAfter({ 'tools/clock.ts': 'export const now = 2' }), ['tools/clock.ts'])
  assert.deepEqual(listStaleAfter({ 'contract/src/card.ts': 'export type Card = never' }), [
    'contract/src/card.ts',
    'vault/src/seal.ts',
    'service/src/app.ts',
    'service/src/page.tsx',
  ])
  assert.deepEqual(listStaleAfter({ 'client/src/index.ts': 'export const pay = async () => undefined' }), [
    'examples/shop.ts',
    'client/src/index.ts',
  ])
  assert.deepEqual(listStaleAfter({ 'tools/new.ts': 'export {}' }), ['tools/new.ts'])
})

test('settings, packages and global types concern every file', () => {
  for (const path of ['eslint.config.js', 'package-lock.json', 'tsconfig.json', 'dashboard/tsconfig.json', 'contract/package.json']) {
    assert.deepEqual(listStaleAfter({ [path]: 'new' }), code, path)
  }
  assert.equal(listStaleAfter({ 'service/src/globals.d.ts': 'declare const x: 1' }).length, code.length + 1)
  assert.equal(listStaleAfter({ 'tools/globals.ts': 'declare global { const x: 1 }\nexport {}' }).length, code.length + 1)
})

test('a cache that cannot be read counts as none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lint-cache-'))
  writeFileSync(join(folder, 'broken'), '{')
  assert.deepEqual(openLintCache(treeOf(texts), join(folder, 'broken')).listStale(), code)
  rmSync(folder, { recursive: true })
})
