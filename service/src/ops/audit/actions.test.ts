import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'

import { auditActions, currentAuditAction } from '@tessera/contract/audit-actions'

const source = fileURLToPath(new URL('../../', import.meta.url))
const paths = globSync('**/*.ts', { cwd: source }).filter((path) => !/\.(test|suite|fixture)\.ts$/.test(path))

test('every action that the service writes into the audit is in the contract, and every action of the contract is written somewhere', () => {
  const known = new Set<string>(auditActions)
  assert.equal(known.size, auditActions.length)
  const written = new Map<string, string>()
  for (const path of paths) {
    for (const line of readFileSync(`${source}${path}`, 'utf8').split('\n')) {
      if (!/\b(action\w*|audit\w*|note\w*|deed)\b/.test(line) || /^\s*(\/\/|\*|\/\*\*)/.test(line)) continue
      for (const [, word = ''] of line.matchAll(/'((?:[a-z_]+)\.(?:[a-z_]+))'/g)) written.set(word, path)
    }
  }
  // Webhook event types stand on the same lines, and receipt.failed is no action. Readers name former actions in their queries.
  const unknown = [...written]
    .filter(([word]) => !known.has(word) && word !== 'receipt.failed' && currentAuditAction(word) === word)
    .map(([word, path]) => `${path}: ${word}`)
  assert.deepEqual(unknown, [], 'a new action goes into contract/src/audit-actions.ts and dashboard/messages/audit-labels.ts')
  const unwritten = auditActions.filter((word) => !written.has(word))
  assert.deepEqual(unwritten, [])
})
