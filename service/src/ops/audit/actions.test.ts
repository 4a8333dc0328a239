import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'

import { auditActions, auditOutcomes, currentAuditAction } from '@tessera/contract/audit'
import { errors } from '@tessera/contract/errors'

import { toReasonCode } from '../../domain/reporting/reason-code.ts'

const source = fileURLToPath(new URL('../../', import.meta.url))
const paths = globSync('**/*.ts', { cwd: source }).filter((path) => !/\.(test|suite|fixture)\.ts$/.test(path))

test('every action that the service writes into the audit is in the contract, and every action of the contract is written somewhere', () => {
  const known = new Set(Object.keys(auditActions))
  const written = new Map<string, string>()
  for (const path of paths) {
    for (const line of readFileSync(`${source}${path}`, 'utf8').split('\n')) {
      if (!/\b(action\w*|audit\w*)\b/.test(line) || /^\s*(\/\/|\*|\/\*\*)/.test(line)) continue
      for (const [, word = ''] of line.matchAll(/'((?:[a-z_]+)\.(?:[a-z_]+))'/g)) written.set(word, path)
    }
  }
  // Webhook event types stand on the same lines, and receipt.failed is no action. Readers name former actions in their queries.
  const unknown = [...written]
    .filter(([word]) => !known.has(word) && word !== 'receipt.failed' && currentAuditAction(word) === word)
    .map(([word, path]) => `${path}: ${word}`)
  assert.deepEqual(unknown, [], 'a new action goes into contract/src/audit.ts')
  const unwritten = [...known].filter((word) => !written.has(word))
  assert.deepEqual(unwritten, [])
})

const storeDecisions = new Set(['asked', 'networkDecides', 'dayAttemptsUsedUp', 'attemptsUsedUp', 'conflict'])

test('every outcome that the service writes into the audit is in the contract', () => {
  const known = new Set(Object.keys(auditOutcomes))
  const folders = /^(domain\/(cards|form-sessions|keys|merchants|page-check|payments|users|verification|webhooks)|adapters\/sandbox)\//
  // Errors of this kind are outcomes of payments and codes.
  const reasons = new Set<string>(Object.values(errors).map(({ reason }) => reason))
  let written = 0
  // The sandbox's gateway says what became of a message, which no entry repeats.
  const isAudited = (path: string): boolean => folders.test(path) && path !== 'adapters/sandbox/sms.ts'
  for (const path of paths.filter(isAudited)) {
    for (const line of readFileSync(`${source}${path}`, 'utf8').split('\n')) {
      for (const [, expression = ''] of line.matchAll(/\boutcome(?:: | = )((?:[^,}]*\? )?'[^,})]*')/g)) {
        for (const [, word = ''] of expression.matchAll(/(?<!=== )'([a-zA-Z_]+)'/g)) {
          // The column of that name in the table of verifications, and decisions of its store.
          if (path.startsWith('domain/verification/') && storeDecisions.has(word)) continue
          written++
          const outcome = toReasonCode(word)
          assert.ok(known.has(outcome) || reasons.has(outcome), `${path}: ${word} goes into contract/src/audit.ts`)
        }
      }
    }
  }
  assert.ok(written > 40, String(written))
})
