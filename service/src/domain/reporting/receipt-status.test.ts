import assert from 'node:assert/strict'
import { test } from 'node:test'

import { type ReceiptState, receiptStates } from '@tessera/contract/receipt'
import type { ReceiptStatus } from '@tessera/contract/receipt-status'

import type { OperationRow } from '../../store/operations.ts'
import { makeOperation, makeReceipt } from '../../store/suite/money.fixture.ts'

import { deriveReceiptStatus, type ReceiptFacts, sumReceiptMoney, wasPaid } from './receipt-status.ts'

type Step = [kind: OperationRow['kind'], state?: OperationRow['state'], amountTiyin?: number]

function operationsOf(...steps: readonly Step[]): OperationRow[] {
  return steps.map(([kind, state = 'approved', amountTiyin = 500_000], at) =>
    makeOperation(makeReceipt(1), `r${at}`, { kind, state, amountTiyin, resolvedAt: 1 + at }),
  )
}

const declined = '{"code":-31630,"reason":"declined"}'
const asked = { sourceCancel: 'subscribe' }
const paidAt = { payTime: 7 }

const cases: [what: string, facts: Partial<ReceiptFacts>, steps: Step[], wanted: ReceiptStatus][] = [
  ['a new one', { state: 0 }, [], 'open'],
  ['a declined one, which may be paid again', { state: 0, error: declined }, [['authorise', 'declined']], 'failed'],
  ['while the merchant is asked', { state: 1 }, [], 'processing'],
  ['while the card is debited', { state: 2 }, [['authorise', 'asked']], 'processing'],
  ['while the merchant confirms', { state: 3, ...paidAt }, [['authorise']], 'processing'],
  ['while the amount is held', { state: 6 }, [['hold', 'asked']], 'processing'],
  ['a debited one', { state: 4, ...paidAt }, [['authorise']], 'paid'],
  ['a debited one, after a decline', { state: 4, error: declined, ...paidAt }, [['authorise', 'declined'], ['authorise']], 'paid'],
  ['a hold', { state: 5, ...paidAt }, [['hold']], 'authorized'],
  ['a hold that is being captured', { state: 5, ...paidAt }, [['hold'], ['capture', 'asked']], 'authorized'],
  ['a captured hold', { state: 4, ...paidAt }, [['hold'], ['capture', 'approved', 100]], 'captured'],
  ['one of unknown outcome', { state: 20 }, [['authorise', 'unknown']], 'pending_confirmation'],
  ['one of unknown outcome for a day', { state: 20, flagged: true }, [['authorise', 'unknown']], 'needs_review'],
  ['a refund under way', { state: 21, ...paidAt, ...asked }, [['authorise'], ['refund', 'asked']], 'refunding'],
  ['a release under way', { state: 21, ...paidAt, ...asked }, [['hold'], ['cancelHold', 'asked']], 'processing'],
  [
    'a refund that was requested anew',
    { state: 21, ...paidAt, ...asked },
    [['authorise'], ['refund', 'declined'], ['refund', 'asked']],
    'refunding',
  ],
  ['a refunded one', { state: 50, ...paidAt, ...asked }, [['authorise'], ['refund']], 'refunded'],
  ['a captured and refunded hold', { state: 50, ...paidAt, ...asked }, [['hold'], ['capture'], ['refund']], 'refunded'],
  ['a released hold', { state: 50, ...paidAt, ...asked }, [['hold'], ['cancelHold']], 'voided'],
  [
    'a released hold whose capture was declined',
    { state: 50, ...paidAt, ...asked },
    [['hold'], ['capture', 'declined'], ['cancelHold']],
    'voided',
  ],
  ['a hold that ended', { state: 50, ...paidAt }, [['hold'], ['cancelHold']], 'expired'],
  ['one that nobody paid', { state: 50 }, [], 'expired'],
  ['one that was declined, and nobody tried again', { state: 50, error: declined }, [['authorise', 'declined']], 'failed'],
  ['one that was cancelled unpaid', { state: 50, ...asked }, [], 'cancelled'],
  ['one that was declined and cancelled', { state: 50, error: declined, ...asked }, [['authorise', 'declined']], 'cancelled'],
  ['a debit of unknown outcome that was returned', { state: 50 }, [['authorise'], ['reverse']], 'failed'],
  ['a debit that the merchant refused', { state: 50, ...paidAt }, [['authorise'], ['merchantPerform', 'declined'], ['refund']], 'failed'],
]

for (const [what, facts, steps, wanted] of cases) {
  test(`the status of a receipt: ${what} is ${wanted}`, () => {
    assert.equal(deriveReceiptStatus({ ...makeReceipt(1), ...facts }, operationsOf(...steps)), wanted)
  })
}

test('money counts what the network approved: a hold when it was captured, a return never above the debit', () => {
  const sums: [Step[], number, number][] = [
    [[['authorise', 'unknown']], 0, 0],
    [
      [
        ['authorise', 'declined'],
        ['authorise', 'approved', 700],
      ],
      700,
      0,
    ],
    [[['hold', 'approved', 700]], 0, 0],
    [
      [
        ['hold', 'approved', 700],
        ['capture', 'approved', 300],
      ],
      300,
      0,
    ],
    [
      [
        ['hold', 'approved', 700],
        ['cancelHold', 'approved', 700],
      ],
      0,
      0,
    ],
    [
      [
        ['authorise', 'approved', 700],
        ['refund', 'declined', 700],
        ['refund', 'approved', 700],
      ],
      700,
      700,
    ],
    [
      [
        ['authorise', 'declined'],
        ['reverse', 'approved', 500_000],
      ],
      0,
      0,
    ],
  ]
  for (const [steps, capturedTiyin, refundedTiyin] of sums) {
    const money = sumReceiptMoney(operationsOf(...steps))
    assert.deepEqual([money.capturedTiyin, money.refundedTiyin], [capturedTiyin, refundedTiyin])
    assert.deepEqual([money.capturedAt > 0, money.refundedAt > 0], [capturedTiyin > 0, refundedTiyin > 0])
  }
})

test('a payment was the merchant’s when it is paid, or somebody asked for its return, and not while or because its outcome was unknown', () => {
  const { created, awaitingMerchant, paid, held, unknown, returning, cancelled } = receiptStates
  const of = (sourceCancel: string | null, ...states: readonly ReceiptState[]): boolean[] =>
    states.map((state) => wasPaid({ ...makeReceipt(1), state, sourceCancel }))
  assert.deepEqual(of(null, paid, created, awaitingMerchant, held, unknown, returning, cancelled), [true, ...Array<boolean>(6).fill(false)])
  assert.deepEqual(of('subscribe', returning, cancelled), [true, true])
})
