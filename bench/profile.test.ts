import assert from 'node:assert/strict'
import { test } from 'node:test'
import { root } from '../fault/spawn.ts'
import { summarizeProfile } from './profile.ts'

function frame(
  id: number,
  functionName: string,
  url: string,
): { id: number; callFrame: { functionName: string; url: string; lineNumber: number } } {
  return { id, callFrame: { functionName, url, lineNumber: 1 } }
}

test('CPU time is split by folder and by function into shares of what the kernel counted, without idle time', () => {
  const nodes = [
    frame(1, '(idle)', ''),
    frame(2, 'seal', `file://${root}/vault/src/seal.ts`),
    frame(3, 'open', `file://${root}/vault/src/seal.ts`),
    frame(4, 'query', `file://${root}/node_modules/pg/lib/client.js`),
    frame(5, 'hash', 'node:internal/crypto/hash'),
    frame(6, 'writev', ''),
  ]
  const { folders, functions } = summarizeProfile({ nodes, samples: [1, 2, 3, 2, 4, 5, 6], timeDeltas: [900, 10, 20, 30, 8, 6, 4] }, 39)
  assert.deepEqual(
    folders.map(({ where, microseconds }) => [where, microseconds]),
    [
      ['vault/src', 30],
      ['pg', 4],
      ['node:internal/crypto/hash', 3],
      ['native', 2],
    ],
  )
  assert.deepEqual(functions[0], { where: 'seal vault/src/seal.ts', microseconds: 20 })
})
