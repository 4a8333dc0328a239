import assert from 'node:assert/strict'
import { test } from 'node:test'

import { cardNumberDetector } from '@tessera/contract/card-number-detector'
import type { ErrorBody } from '@tessera/contract/errors'
import { dashboardOperations, operatorOperations, publicOperations } from '@tessera/contract/operations'
import { KekUnavailableError, type Kek } from '@tessera/vault/kek'

import { decodeAuditChanges, insertAuditEntry, listAuditEntries, listAuditHeads } from '../store/audit.ts'
import { StoreFull } from '../store/store.ts'
import type { RequestHandler } from '../server/pipeline.ts'
import { replaceInStore, replaceWrite } from '../testing/store.fixture.ts'
import { makeTestKek } from '../testing/kek.fixture.ts'
import { request } from '../testing/pipeline.fixture.ts'
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts'

interface Reply {
  readonly requestId: string
  readonly result?: unknown
  readonly error?: ErrorBody
}

async function callBy(handle: RequestHandler, method: string, params: unknown = {}): Promise<Reply> {
  const { text, requestId } = await handle(request({ jsonrpc: '2.0', id: 1, method, params }, { xAuth: null }))
  return { requestId, ...(JSON.parse(text) as Omit<Reply, 'requestId'>) }
}

async function auditEntries({ store }: Pick<TestApp, 'store'>) {
  const [head] = await listAuditHeads(store)
  return (await store.read(listAuditEntries(head?.chain ?? '', 0, 100))).filter(({ actor }) => actor === 'operator')
}

test('the socket serves every operation of the operator and no other, and no other endpoint serves one', async (t) => {
  const { app } = await createTestApp(t)
  const reasonOf = async (handle: RequestHandler, name: string) => (await callBy(handle, name)).error?.reason
  for (const name of Object.keys(operatorOperations)) {
    assert.notEqual(await reasonOf(app.handleOperator, name), 'method_not_found', name)
    assert.equal(await reasonOf(app.handle, name), 'method_not_found', name)
    assert.equal(await reasonOf(app.handleDashboard, name), 'method_not_found', name)
  }
  for (const name of [...Object.keys(publicOperations), ...Object.keys(dashboardOperations), 'toString'])
    assert.equal(await reasonOf(app.handleOperator, name), 'method_not_found', name)
})

test('invalid params are refused with the member that is wrong, and a refusal of the domain says why', async (t) => {
  const { app } = await createTestApp(t)
  const refusalOf = async (name: string, params: unknown) => {
    const { error } = await callBy(app.handleOperator, name, params)
    return [error?.reason, error?.data]
  }
  assert.deepEqual(await refusalOf('operator.merchants.get', { merchantId: 'x' }), ['member_invalid', 'merchantId'])
  assert.deepEqual(await refusalOf('operator.merchants.get', {}), ['member_missing', 'merchantId'])
  assert.deepEqual(await refusalOf('operator.merchants.get', null), ['params_not_object', undefined])
  const [reason, data] = await refusalOf('operator.users.list', { merchantId: 'a'.repeat(24) })
  assert.equal(reason, 'operator_refused')
  assert.deepEqual(data, {
    reason: 'merchant_unknown',
    message: `There is no merchant ${'a'.repeat(24)}: see tessera merchants list`,
  })
})

test('a card number in the params of an operator is refused, and an id that holds one by chance is not', async (t) => {
  const { app } = await createTestApp(t)
  const reasonOf = async (name: string, params: object) => (await callBy(app.handleOperator, name, params)).error?.reason
  const resolution = { receiptId: 'a'.repeat(24), paidAt: null, reference: 'RRN-1', reason: 'card 8600069195406311' }
  assert.equal(await reasonOf('operator.receipts.resolve', resolution), 'pan_out_of_place')

  const patternsOfIds: readonly (readonly [RegExp, string])[] = [
    [/\[0-9a-f\]\{24\}/, `8600495473316478${'a'.repeat(8)}`],
    [/\[0-9a-f\]\{32\}/, `8600495473316478${'a'.repeat(16)}`],
  ]
  let checked = 0
  for (const [name, { params }] of Object.entries(operatorOperations)) {
    for (const [member, { pattern = '' }] of Object.entries(params.properties as Readonly<Record<string, { readonly pattern?: string }>>)) {
      const id = patternsOfIds.find(([shape]) => shape.test(pattern))?.[1]
      if (id === undefined) continue
      assert.ok(cardNumberDetector.inText(id))
      assert.notEqual(await reasonOf(name, { [member]: id }), 'pan_out_of_place', `${name} ${member}`)
      checked++
    }
  }
  assert.ok(checked >= 20, `${String(checked)} params are ids`)
  assert.notEqual(
    await reasonOf('operator.keys.rotate', { purpose: 'card', owner: `8600495473316478${'a'.repeat(8)}` }),
    'pan_out_of_place',
  )
})

test('an operator reads that the KEK is away, and why: to callers of the API it is a part of the store', async (t) => {
  const kek = makeTestKek()
  const away = () => Promise.reject(new KekUnavailableError('the token has another key with this label now'))
  let isAway = false
  const openKek = () => Promise.resolve({ ...kek, wrap: (...args: Parameters<Kek['wrap']>) => (isAway ? away() : kek.wrap(...args)) })
  const app = await createTestApp(t, { adapters: { openKek } })
  const rotate = () => callBy(app.app.handleOperator, 'operator.keys.rotate', { purpose: 'card', owner: app.merchant().merchantId })
  assert.ok('result' in (await rotate()))
  isAway = true
  const { data } = (await rotate()).error ?? {}
  assert.deepEqual((data as { reason: string }).reason, 'kek_unavailable')
  assert.match(JSON.stringify(data), /The KEK cannot be used now: the token has another key with this label now\./)
})

test('operator actions on keys are audited under the id of their request, refusals included', async (t) => {
  const app = await createTestApp(t)
  const call = (method: string, params: object) => callBy(app.app.handleOperator, method, params)
  const { merchantId } = app.merchant()
  const { keyId } = await app.keyring.active('card', merchantId)
  const rotated = await call('operator.keys.rotate', { purpose: 'card', owner: merchantId })
  assert.ok('result' in rotated)
  const refused = await call('operator.keys.destroy', { keyId })
  assert.match(JSON.stringify(refused.error?.data), /key_not_destroyed.*in use/)
  app.clock.advance(3 * 60_000)
  const destroyed = await call('operator.keys.destroy', { keyId })
  assert.ok('result' in destroyed)
  assert.deepEqual(
    (await auditEntries(app)).map(({ action, outcome, requestId }) => [`${action} ${outcome}`, requestId]),
    [
      ['key.rotated requested', rotated.requestId],
      ['key.rotated done', rotated.requestId],
      ['key.destroyed requested', refused.requestId],
      ['key.destroyed refused', refused.requestId],
      ['key.destroyed requested', destroyed.requestId],
      ['key.destroyed done', destroyed.requestId],
    ],
  )
})

test('a backup is audited with its destination, its user and the ends of the chains, and not without room for the entry', async (t) => {
  const app = await createTestApp(t)
  const record = { what: 'database', destination: 'tessera-1', user: 'backup', chains: 5000, heads: [{ chain: 'embedded', seq: 3 }] }
  const recorded = await callBy(app.app.handleOperator, 'operator.store.recordBackup', record)
  assert.deepEqual(recorded.result, { success: true })
  const entry = (await auditEntries(app)).at(-1)
  assert.deepEqual([entry?.action, entry?.subject, entry?.requestId], ['database.backed_up', 'database', recorded.requestId])
  assert.deepEqual(
    decodeAuditChanges(entry?.changes ?? '').map(({ name, to }) => [name, to]),
    [
      ['destination', 'tessera-1'],
      ['user', 'backup'],
      ['chains', '5000'],
      ['embedded', '3'],
    ],
  )
  const path = await callBy(app.app.handleOperator, 'operator.store.recordBackup', { ...record, destination: '/a/b' })
  assert.deepEqual([path.error?.reason, path.error?.data], ['member_invalid', 'destination'])
  const store = replaceInStore(
    app.store,
    replaceWrite(insertAuditEntry, () => Promise.reject(new StoreFull('full'))),
  )
  const full = await createTestApp(t, { continues: app, store })
  assert.equal((await callBy(full.app.handleOperator, 'operator.store.recordBackup', record)).error?.reason, 'store_full')
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
  const full = await createTestApp(t, { continues: app, store })
  const { error } = await callBy(full.app.handleOperator, 'operator.keys.destroy', { keyId })
  assert.equal(error?.reason, 'store_full')
  assert.equal((await app.keyring.byId(keyId)).keyId, keyId)
})
