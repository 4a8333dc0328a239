import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkDependencies } from './dependencies.ts'

const manifests = {
  'package.json': JSON.stringify({ devDependencies: { 'fast-check': '4' } }),
  'vault/package.json': JSON.stringify({ dependencies: { '@tessera/contract': '0.1.0' } }),
  'client/package.json': JSON.stringify({ devDependencies: { '@tessera/contract': '0.1.0', typebox: '1' } }),
  'contract/package.json': JSON.stringify({ dependencies: { typebox: '1' } }),
}

function judge(path: string, text: string): string[] {
  return checkDependencies(treeOf({ ...manifests, [path]: text })).map((finding) => finding.text)
}

test('a package that the workspace does not declare is found, though another workspace declares it', () => {
  assert.deepEqual(judge('vault/src/seal.ts', "import { Type } from 'typebox/value'"), [
    'imports typebox, which vault/package.json does not declare',
  ])
  assert.deepEqual(judge('contract/src/card.ts', "import type { Dek } from '@tessera/vault/dek'"), [
    'imports @tessera/vault, which contract/package.json does not declare',
  ])
})

test('shipped code may not use a development package, and a test may', () => {
  assert.equal(judge('vault/src/seal.ts', "import fc from 'fast-check'").length, 1)
  assert.deepEqual(judge('vault/src/seal.test.ts', "import fc from 'fast-check'"), [])
})

test('shipped code may use a workspace that is bundled into it, and no other development package', () => {
  assert.deepEqual(judge('client/src/webhook.ts', "export { eventTypes } from '@tessera/contract/event'"), [])
  assert.equal(judge('client/src/webhook.ts', "import { Type } from 'typebox'").length, 1)
})

test('a builtin is written with node: before it', () => {
  assert.deepEqual(judge('vault/src/seal.ts', "import { hash } from 'crypto'"), ['imports "crypto": write "node:crypto"'])
  assert.deepEqual(judge('vault/src/seal.ts', "import { hash } from 'node:crypto'\nimport { Pan } from '@tessera/contract/card'"), [])
})
