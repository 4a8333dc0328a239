import assert from 'node:assert/strict'
import { test } from 'node:test'

import { askToRemove, chooseSavedCard, noSavedCards, offerSavedCards, withoutSavedCard } from './saved-card-choice.ts'

const [first, second, old] = [
  { id: 'a', number: '8600***6311', expired: false },
  { id: 'b', number: '8600***6478', expired: false },
  { id: 'c', number: '9860***0000', expired: true },
]

test('the first card that has not expired is chosen, and the merchant’s order is kept', () => {
  const choice = offerSavedCards([old, first, second], noSavedCards)
  assert.deepEqual(choice, { cards: [old, first, second], chosen: 'a', removing: null })
  assert.equal(offerSavedCards([old], noSavedCards).chosen, null)
  assert.equal(offerSavedCards([], noSavedCards).chosen, null)
})

test('an expired card and one that is not offered cannot be chosen', () => {
  const choice = offerSavedCards([first, second, old], noSavedCards)
  assert.equal(chooseSavedCard(choice, 'b').chosen, 'b')
  for (const id of ['c', 'x', '']) assert.equal(chooseSavedCard(choice, id).chosen, 'a', id)
})

test('another list keeps the chosen card while it offers it', () => {
  const choice = chooseSavedCard(offerSavedCards([first, second], noSavedCards), 'b')
  assert.equal(offerSavedCards([old, second, first], choice).chosen, 'b')
  assert.equal(offerSavedCards([first], choice).chosen, 'a')
  assert.equal(offerSavedCards([{ ...second, expired: true }, first], choice).chosen, 'a')
})

test('one removal at a time is asked for, and none changes the choice before it is confirmed', () => {
  const choice = offerSavedCards([first, second], noSavedCards)
  const asked = askToRemove(askToRemove(choice, 'a'), 'b')
  assert.deepEqual(asked, { ...choice, removing: 'b' })
  assert.deepEqual(askToRemove(asked, null), choice)
})

test('a removed card leaves the list; when it was chosen, the next one is', () => {
  const choice = askToRemove(offerSavedCards([first, second, old], noSavedCards), 'a')
  const left = withoutSavedCard(choice, 'a')
  assert.deepEqual(left, { cards: [second, old], chosen: 'b', removing: null })
  assert.equal(withoutSavedCard(left, 'c').chosen, 'b')
  assert.deepEqual(withoutSavedCard(left, 'b'), { cards: [old], chosen: null, removing: null })
})
