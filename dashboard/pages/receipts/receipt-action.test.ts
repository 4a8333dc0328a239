import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Result } from '@tessera/contract/operations'

import { availableActions, fullCapture, isMoving, progressOf, readCaptureAmount, wasAccepted } from './receipt-action.ts'

type Details = Pick<Result<'dashboard.receipts.get'>, 'receipt' | 'operations'>

function details(
  state: number,
  status: string,
  operations: readonly { requestedAt: number; state: string; kind?: string }[] = [],
): Details {
  return { receipt: { state, status }, operations } as unknown as Details
}

test('the amount of a capture is written as the language does, and read with a point and with a comma', () => {
  assert.deepEqual(
    (['en', 'ru', 'uz'] as const).map((language) => fullCapture(150_050, language)),
    ['1500.50', '1500,50', '1500,50'],
  )
  for (const typed of ['1500.50', '1500,50', '1 500,5'])
    assert.deepEqual(readCaptureAmount(typed, 150_050), { tiyin: 150_050, restTiyin: 0, problem: null })
})

test('a receipt offers what its state allows, and nothing while the network is asked', () => {
  assert.deepEqual(availableActions(details(0, 'open')), ['cancel'])
  assert.deepEqual(availableActions(details(5, 'authorized')), ['capture', 'void'])
  assert.deepEqual(availableActions(details(4, 'paid')), ['refund'])
  for (const state of [-1, 1, 2, 3, 6, 20, 21, 50]) assert.deepEqual(availableActions(details(state, 'processing')), [], String(state))
  const pending = details(5, 'authorized', [
    { requestedAt: 1, state: 'approved' },
    { requestedAt: 2, state: 'requested' },
  ])
  assert.deepEqual(availableActions(pending), [])
  assert.ok(isMoving(pending))
})

test('the page asks again until the outcome is known, and no longer', () => {
  for (const status of ['processing', 'refunding', 'pending_confirmation']) assert.ok(isMoving(details(21, status)), status)
  for (const status of ['open', 'paid', 'captured', 'refunded', 'voided', 'expired', 'cancelled', 'failed', 'authorized']) {
    assert.ok(!isMoving(details(50, status, [{ requestedAt: 1, state: 'approved' }])), status)
  }
  // A debit of unknown outcome that was reversed is over.
  const reversed = [
    { requestedAt: 1, state: 'unknown' },
    { requestedAt: 2, state: 'approved' },
  ]
  assert.ok(!isMoving(details(50, 'failed', reversed)))
})

test('an action is waited for until its end, or until an operator has to look', () => {
  const { receipt } = details(21, 'refunding')
  assert.equal(progressOf('refund', receipt), 'asked')
  assert.equal(progressOf('refund', details(50, 'refunded').receipt), 'done')
  assert.equal(progressOf('refund', details(21, 'needs_review').receipt), 'review')
})

test('an action whose reply was lost is known by what it left behind', () => {
  assert.ok(wasAccepted('refund', details(21, 'refunding')) && wasAccepted('refund', details(50, 'refunded')))
  assert.ok(wasAccepted('void', details(21, 'processing')) && wasAccepted('void', details(50, 'voided')))
  assert.ok(wasAccepted('cancel', details(50, 'cancelled')))
  assert.ok(wasAccepted('capture', details(5, 'authorized', [{ requestedAt: 2, state: 'requested', kind: 'capture' }])))
  assert.ok(!wasAccepted('refund', details(4, 'paid')) && !wasAccepted('cancel', details(0, 'open')))
  assert.ok(!wasAccepted('cancel', details(50, 'expired')) && !wasAccepted('void', details(50, 'expired')))
  assert.ok(!wasAccepted('capture', details(5, 'authorized', [{ requestedAt: 2, state: 'declined', kind: 'capture' }])))
})

test('an amount to capture is read in so’m, and says what is released', () => {
  assert.deepEqual(readCaptureAmount('700', 100_000), { tiyin: 70_000, restTiyin: 30_000, problem: null })
  assert.deepEqual(readCaptureAmount('1 000,00', 100_000), { tiyin: 100_000, restTiyin: 0, problem: null })
  assert.equal(readCaptureAmount('1000.01', 100_000).problem, 'aboveHold')
  for (const typed of ['', '0', '-5', 'ten', '1.234']) assert.equal(readCaptureAmount(typed, 100_000).problem, 'notAnAmount', typed)
})
