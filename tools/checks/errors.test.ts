import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkErrors, type CheckedError } from './errors.ts'

const good: CheckedError = {
  reason: 'card_expired',
  code: -31301,
  text: { en: 'Expired.', ru: 'Истекла.', uz: 'Tugagan.' },
  hint: 'Take another.',
}
const thrown = treeOf({ 'service/src/domain/cards/card.ts': "throw new RpcError('cardExpired')" })

function judge(entry: Partial<CheckedError>, more: Record<string, CheckedError> = {}): string[] {
  return checkErrors(thrown, { cardExpired: { ...good, ...entry }, ...more }).map((finding) => finding.text)
}

test('an error that lacks a language, a hint, or a right reason or code is found', () => {
  assert.deepEqual(judge({}), [])
  assert.deepEqual(judge({ text: { en: 'Expired.', ru: ' ' } }), ['cardExpired: no text in ru', 'cardExpired: no text in uz'])
  assert.deepEqual(judge({ hint: '' }), ['cardExpired: no hint'])
  assert.deepEqual(judge({ reason: 'cardExpired' }), ['cardExpired: the reason "cardExpired" is not snake_case'])
  assert.deepEqual(judge({ code: 31301 }), ['cardExpired: the code 31301 is not a negative integer'])
})

test('one reason for two errors is found at both', () => {
  const found = judge({}, { cardOld: { ...good } })
  assert.deepEqual(
    found.filter((text) => text.includes("another error's")).map((text) => text.split(':')[0]),
    ['cardExpired', 'cardOld'],
  )
})

test('an error that nothing throws is found, and its own table and tests do not count', () => {
  const tree = treeOf({
    'contract/src/errors.ts': "const x = 'cardExpired'",
    'service/src/domain/cards/card.test.ts': "expect('cardExpired')",
  })
  assert.deepEqual(
    checkErrors(tree, { cardExpired: good }).map((finding) => finding.text),
    ['cardExpired: nothing in service/ throws it'],
  )
})
