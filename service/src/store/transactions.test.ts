import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { startTransaction, transactions } from './transactions.ts'

const folder = new URL('.', import.meta.url)
// Building blocks of transactions, not tables.
const excluded = ['extras.ts', 'transaction.ts', 'transactions.ts']
const files = readdirSync(folder).filter((file) => /^[a-z-]+\.ts$/.test(file) && !excluded.includes(file))

test('the worker thread finds every transaction that a file of this folder exports, by its own name', async () => {
  let count = 0
  for (const file of files) {
    const exported = (await import(new URL(file, folder).href)) as Record<string, unknown>
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value !== 'function' || value.constructor.name !== 'GeneratorFunction') continue
      assert.equal(value.name, name, file)
      assert.equal(transactions.get(name), value, `${name} of ${file} is not found, or has the name of another`)
      count++
    }
  }
  assert.ok(count > 50)
  assert.equal(transactions.size, count)
})

test('a name that no file exports is refused', () => {
  assert.throws(() => startTransaction({ name: 'insertNothing', input: {} }), /no table file exports a transaction named insertNothing/)
})
