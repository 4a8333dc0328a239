import assert from 'node:assert/strict'
import { test } from 'node:test'

import { operatorOperations } from '@tessera/contract/operations'

import { makeKeyAdministration } from '../domain/keys/key-administration.ts'
import { insertAuditEntry, listAuditEntries, listAuditHeads } from '../store/audit.ts'
import { StoreFull } from '../store/store.ts'
import { replaceInStore, replaceWrite } from '../testing/store.fixture.ts'
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts'

import { makeOperatorHandler } from './operator.ts'
import { operatorRegistry } from './registry.ts'

async function auditedActions({ store }: TestApp): Promise<string[]> {
  const [head] = await store.read(listAuditHeads())
  const entries = await store.read(listAuditEntries(head?.chain ?? '', 0, 100))
  return entries.filter(({ actor }) => actor === 'operator').map(({ action, outcome }) => `${action} ${outcome}`)
}

test('every operator operation of the contract is in the registry under its name', () => {
  assert.deepEqual(Object.keys(operatorRegistry).sort(), Object.keys(operatorOperations).sort())
  for (const [name, { contract }] of Object.entries(operatorRegistry)) assert.equal(contract.name, name)
})

test('an unknown operation and invalid params are refused with a reason', async (t) => {
  const app = await createTestApp(t)
  const call = makeOperatorHandler(operatorRegistry, app.app.services)
  const replies = [
    await call({ operation: 'toString', params: {} }),
    await call({ operation: 'cards.create', params: {} }),
    await call({ operation: 'operator.merchants.get', params: { merchantId: 'x' } }),
    await call({ operation: 'operator.merchants.get', params: {} }),
    await call({ operation: 'operator.merchants.get', params: null }),
    await call({ operation: 'operator.users.list', params: { merchantId: 'a'.repeat(24) } }),
  ]
  assert.deepEqual(
    replies.map((reply) => ('reason' in reply ? reply.reason : null)),
    ['unknown_operation', 'unknown_operation', 'invalid_params', 'invalid_params', 'invalid_params', 'merchant_unknown'],
  )
  assert.deepEqual(
    replies.slice(2, 4).map((reply) => ('message' in reply ? reply.message : null)),
    ['A merchant id is 24 hex digits.', 'A merchant id is 24 hex digits.'],
  )
})

test('operator actions on keys are audited, refusals included', async (t) => {
  const app = await createTestApp(t)
  const call = makeOperatorHandler(operatorRegistry, app.app.services)
  const { merchantId } = app.merchant()
  const { keyId } = await app.keyring.active('card', merchantId)
  assert.ok((await call({ operation: 'operator.keys.rotate', params: { purpose: 'card', owner: merchantId } })).ok)
  const refused = await call({ operation: 'operator.keys.destroy', params: { keyId } })
  assert.match('message' in refused ? refused.message : '', /in use/)
  app.clock.advance(3 * 60_000)
  assert.ok((await call({ operation: 'operator.keys.destroy', params: { keyId } })).ok)
  assert.deepEqual(await auditedActions(app), [
    'key.rotated requested',
    'key.rotated done',
    'key.destroyed requested',
    'key.destroyed refused',
    'key.destroyed requested',
    'key.destroyed done',
  ])
})

test('a key is not destroyed when the audit has no room for the entry', async (t) => {
  const app = await createTestApp(t)
  const store = replaceInStore(
    app.store,
    replaceWrite(insertAuditEntry, () => Promise.reject(new StoreFull('full'))),
  )
  const { merchantId } = app.merchant()
  const { keyId } = await app.keyring.active('card', merchantId)
  await app.keyring.rotate('card', merchantId)
  app.clock.advance(3 * 60_000)
  const { services } = app.app
  const keys = makeKeyAdministration({ ...services, store })
  const call = makeOperatorHandler(operatorRegistry, { ...services, keys })
  await assert.rejects(call({ operation: 'operator.keys.destroy', params: { keyId } }), StoreFull)
  assert.equal((await app.keyring.byId(keyId)).keyId, keyId)
})
