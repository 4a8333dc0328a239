import assert from 'node:assert/strict'
import { test } from 'node:test'

import { receiptStates, type ReceiptState } from '@tessera/contract/receipt'

import { expectMove, isOpen, mayMove, moves } from './moves.ts'

const states = Object.values(receiptStates)

/** The table of the wire, by its numbers (wire §5), once more. */
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

test('a receipt makes the moves of the wire and no other', () => {
  for (const from of states) {
    for (const to of states) {
      const isAllowed = from === to || (wire[from] ?? []).includes(to)
      assert.equal(mayMove(from, to), isAllowed, `${from} to ${to}`)
      if (isAllowed) expectMove(from, to)
      else assert.throws(() => expectMove(from, to), new RegExp(`from ${from} to ${to}$`))
    }
  }
})

test('from every state there is a way to an end, and the end is one', () => {
  const ends = states.filter((state) => moves[state].length === 0)
  assert.deepEqual(ends, [receiptStates.cancelled])
  const reaches = (from: ReceiptState, met: readonly ReceiptState[] = []): boolean =>
    from === receiptStates.cancelled || moves[from].some((to) => !met.includes(to) && reaches(to, [...met, from]))
  for (const state of states) assert.ok(reaches(state), String(state))
})

test('what is open is what nobody else may touch', () => {
  assert.deepEqual(
    states.filter(isOpen).sort((a, b) => a - b),
    [1, 2, 3, 6, 20],
  )
})
