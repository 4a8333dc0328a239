import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'

import { findNameProblem, normalizeQuery, readSavedViews, savedViewsMax, storeSavedViews } from './view-storage.ts'

const values = new Map<string, string>()
const original = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')

beforeEach(() => {
  values.clear()
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  }
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true })
})
afterEach(() => {
  if (original !== undefined) Object.defineProperty(globalThis, 'localStorage', original)
})

const view = { list: 'receipts', name: 'Large', query: 'amountFrom=1000.00' } as const

test('each user has views of their own, and what is no view or too many is not read', () => {
  assert.equal(storeSavedViews('one', [view]), true)
  assert.deepEqual(readSavedViews('one'), [view])
  assert.deepEqual(readSavedViews('other'), [])
  const [[key] = ['']] = [...values]
  const broken = [null, 1, { ...view, list: 'users' }, { ...view, name: '' }, { ...view, name: 'x'.repeat(41) }, { ...view, query: 1 }]
  values.set(key, JSON.stringify([...broken, view]))
  assert.deepEqual(readSavedViews('one'), [view])
  values.set(key, JSON.stringify(Array.from({ length: 40 }, () => view)))
  assert.equal(readSavedViews('one').length, savedViewsMax)
  for (const text of ['{', '{}', 'null']) {
    values.set(key, text)
    assert.deepEqual(readSavedViews('one'), [], text)
  }
})

test('a browser that stores nothing has no views, and says so', () => {
  const fail = (): never => {
    throw new Error('denied')
  }
  Object.defineProperty(globalThis, 'localStorage', { value: { getItem: fail, setItem: fail }, configurable: true })
  assert.deepEqual(readSavedViews('one'), [])
  assert.equal(storeSavedViews('one', [view]), false)
})

test('the order of an address does not matter, and a name is given once in a list', () => {
  assert.equal(normalizeQuery(new URLSearchParams('b=2&a=1&c=')), 'a=1&b=2')
  assert.equal(normalizeQuery(new URLSearchParams('')), '')
  assert.equal(findNameProblem('  ', [view]), 'empty')
  assert.equal(findNameProblem(' Large ', [view]), 'taken')
  assert.equal(findNameProblem('Large', [view], 'Large'), null)
  assert.equal(findNameProblem('Small', [view]), null)
})
