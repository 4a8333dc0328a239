import assert from 'node:assert/strict'
import { test } from 'node:test'

import { receiptStates, type ReceiptState } from '@tessera/contract/receipt'

import {
  assertTransition,
  isAllowedTransition,
  isPaymentInProgress,
  openReceiptStates,
  receiptStateInfo,
  receiptTransitions,
  type TransitionCause,
  type TransitionRule,
} from './states.ts'

const states = Object.values(receiptStates)
const rules = Object.entries<TransitionRule>(receiptTransitions) as [TransitionCause, TransitionRule][]

/** The transitions of docs/reference/wire.md#receipts by their numbers, written down a second time. */
const wire: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 6, 50],
  1: [2, 6, 0],
  2: [3, 4, 0, 20],
  3: [4, 21],
  4: [21],
  5: [4, 21],
  6: [5, 0, 20],
  20: [0, 21],
  21: [50],
  50: [],
}

test('the table has the transitions of the wire and no other', () => {
  for (const from of states) {
    for (const to of states) {
      const isAllowed = from === to || (wire[from] ?? []).includes(to)
      assert.equal(isAllowedTransition(from, to), isAllowed, `${from} to ${to}`)
    }
  }
})

test('each cause moves a receipt only between the states of its row', () => {
  for (const [cause, rule] of rules) {
    for (const from of states) {
      for (const to of states) {
        const isAllowed = rule.from.includes(from) && (rule.to === 'same' ? from === to : rule.to.includes(to))
        if (isAllowed) assertTransition(cause, from, to)
        else assert.throws(() => assertTransition(cause, from, to), new RegExp(`^Error: ${cause} does not .* from ${from} to ${to}$`))
      }
    }
  }
})

test('every state leads to the final one', () => {
  const next = (from: ReceiptState) => states.filter((to) => to !== from && isAllowedTransition(from, to))
  assert.deepEqual(
    states.filter((state) => next(state).length === 0),
    [receiptStates.cancelled],
  )
  const leadsToEnd = (from: ReceiptState, visited: readonly ReceiptState[] = []): boolean =>
    from === receiptStates.cancelled || next(from).some((to) => !visited.includes(to) && leadsToEnd(to, [...visited, from]))
  for (const state of states) assert.ok(leadsToEnd(state), String(state))
})

test('a transition that ends a payment sends an event, and one that does not change the state sends none', () => {
  for (const [cause, rule] of rules) {
    if (rule.to === 'same') assert.equal(rule.event, null, cause)
    else if (rule.to.some((state) => [0, 4, 5, 50].includes(state))) assert.notEqual(rule.event, null, cause)
  }
})

test('while a payment is in progress no other may start', () => {
  assert.deepEqual(
    states.filter(isPaymentInProgress).sort((a, b) => a - b),
    [1, 2, 3, 6, 20],
  )
})

test('the gauges count the states that a background job or an external system moves on', () => {
  assert.deepEqual(
    [...openReceiptStates].sort((a, b) => a - b),
    [1, 2, 3, 5, 6, 20, 21],
  )
  for (const state of states) assert.ok(receiptStateInfo[state].next.length > 0)
})
