import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'

import { auditWords } from '@tessera/contract/audit-words'

const source = fileURLToPath(new URL('../', import.meta.url))
const paths = globSync('**/*.ts', { cwd: source }).filter((path) => !/\.(test|suite|fixture)\.ts$/.test(path))

test('what the service writes into the audit is a word of the contract, and every such word is written somewhere', () => {
  const known = new Set<string>(auditWords)
  assert.equal(known.size, auditWords.length)
  const written = new Map<string, string>()
  for (const path of paths) {
    for (const line of readFileSync(`${source}${path}`, 'utf8').split('\n')) {
      if (!/\b(action\w*|note\w*|deed)\b/.test(line) || /^\s*(\/\/|\*|\/\*\*)/.test(line)) continue
      for (const [, word = ''] of line.matchAll(/'((?:[a-z_]+)\.(?:[a-z_]+))'/g)) written.set(word, path)
    }
  }
  // Events that merchants hear of stand on the same lines, and one of them is no word of the audit.
  const unknown = [...written].filter(([word]) => !known.has(word) && word !== 'receipt.failed').map(([word, path]) => `${path}: ${word}`)
  assert.deepEqual(unknown, [], 'a new word goes into contract/src/audit-words.ts and dashboard/words/audit-labels.ts')
  const unwritten = auditWords.filter((word) => !written.has(word))
  assert.deepEqual(unwritten, [])
})
