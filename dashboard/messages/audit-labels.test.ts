import assert from 'node:assert/strict'
import { test } from 'node:test'

import { actionLabel, auditLabels, isOutcomeInAction } from './audit-labels.ts'

const { en, ru, uz } = auditLabels

test('a refund, a void and a reversal have their own words, while they are requested and when they are done', () => {
  const label = (outcome: string, actor: string): string => actionLabel({ what: 'receipt.cancelled', outcome, actor }, en)
  assert.deepEqual(
    ['refund', 'cancel_hold'].map((outcome) => [label(outcome, 'user'), label(outcome, 'merchant'), label(outcome, 'system')]),
    [
      ['Refund requested', 'Refund requested', 'Refunded'],
      ['Void requested', 'Void requested', 'Voided'],
    ],
  )
  assert.equal(label('reverse', 'system'), 'Reversed')
  assert.equal(actionLabel({ what: 'receipt.cancelled', outcome: 'refund', actor: 'system' }, ru), 'Возвращено')
  assert.equal(actionLabel({ what: 'receipt.cancelled', outcome: 'refund', actor: 'system' }, uz), 'Qaytarildi')
})

test('a receipt that was not paid is cancelled, and other actions have their own label and their outcome', () => {
  assert.equal(actionLabel({ what: 'receipt.cancelled', outcome: 'unpaid', actor: 'user' }, en), 'Cancelled')
  assert.equal(actionLabel({ what: 'receipt.paid', outcome: 'refund', actor: 'system' }, en), en.actions['receipt.paid'])
  assert.equal(isOutcomeInAction({ what: 'receipt.cancelled', outcome: 'unpaid' }), false)
})
