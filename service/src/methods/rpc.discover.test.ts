import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { methods, publicMethods } from '@tessera/contract/methods'

import { compose } from './compose.fixture.ts'

const house = await compose()
after(() => house.close())

test('the document names every method of the contract, with its caller and its errors', async () => {
  const document = await house.caller().expect('rpc.discover', {})
  assert.equal(document.openrpc, '1.3.2')
  assert.equal(document.info.version, '0.0.0')
  const named = document.methods as { name: string; 'x-caller': string; errors: { code: number }[] }[]
  assert.deepEqual(
    named.map(({ name }) => name),
    Object.keys(publicMethods),
  )
  assert.deepEqual(
    named.map((method) => method['x-caller']),
    Object.values(publicMethods).map(({ caller }) => caller),
  )
  assert.ok(named.find(({ name }) => name === 'cards.verify')?.errors.some(({ code }) => code === -31103))
})

test('the grid has a row for every method of the contract, and says of it what the contract says', () => {
  assert.deepEqual(Object.keys(house.grid).sort(), Object.keys(methods).sort())
  for (const [name, { caller, mutates }] of Object.entries(methods)) {
    const row = house.grid[name as keyof typeof house.grid]
    assert.deepEqual([row.caller, row.mutates], [caller, mutates], name)
  }
})
