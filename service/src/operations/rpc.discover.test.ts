import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { operations, publicOperations } from '@tessera/contract/operations'

import { tesseraVersion } from '../ops/version.ts'
import { operationRegistry } from './registry.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })

test('the document has every operation of the contract, with its caller and its errors', async () => {
  const document = await app.merchant().call('rpc.discover', {})
  assert.equal(document.openrpc, '1.3.2')
  assert.equal(document.info.version, tesseraVersion)
  const named = document.methods as { name: string; 'x-caller': string; errors: { code: number }[] }[]
  assert.deepEqual(
    named.map(({ name }) => name),
    Object.keys(publicOperations),
  )
  assert.deepEqual(
    named.map((method) => method['x-caller']),
    Object.values(publicOperations).map(({ caller }) => caller),
  )
  assert.ok(named.find(({ name }) => name === 'cards.verify')?.errors.some(({ code }) => code === -31103))
})

test('every operation of the contract is in the registry under its name', () => {
  assert.deepEqual(Object.keys(operationRegistry).sort(), Object.keys(operations).sort())
  for (const [name, contract] of Object.entries(operations)) {
    assert.equal(operationRegistry[name as keyof typeof operationRegistry].contract, contract, name)
  }
})
