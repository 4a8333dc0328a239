import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { findNewestAudited } from '../store/audit.ts'
import { listOperations, type OperationRow, operationsTable } from '../store/operations.ts'
import { findReceipt, receiptsTable } from '../store/receipts.ts'
import { setScenarioStep } from '../store/sandbox.ts'
import type { Value } from '../store/statement.ts'
import type { WithStore } from '../store/suite/opened.fixture.ts'
import { createDashboardClient, type DashboardUser } from '../testing/dashboard-user.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { operatorActor } from '../testing/request-context.fixture.ts'
import { literal, type BoundRowDependencies } from './bound-rows.fixture.ts'
import { behind, hasAlarm } from './bound-rows.suite.ts'
import { operationsDigestOf } from '../store/operations-digest.ts'

/** Every change of a row is in the audit with the version and the MAC of the row afterwards, so that an older row differs from it. */
export function rowVersionsSuite(withStore: WithStore, dialect: 'sqlite' | 'postgres'): void {
  test(
    'a webhook endpoint is in the audit when it is added, when its secret is rotated, and when it is removed, also by its id after it was changed',
    behind(withStore, dialect, async (deps) => {
      const { app, raw, receiver } = deps
      const { merchantId } = app.merchant()
      await app.merchants.ensureMerchant({ id: merchantId, name: 'A shop', password: 'a password of the API, as long as one' })
      const added = await app.endpoints.add(merchantId, receiver.url, operatorActor)
      if (added instanceof SettingProblem) return assert.fail('no endpoint')
      const { endpointId } = added
      const expectAudited = expectAuditedRow(deps, 'webhook_endpoints', 'endpoint_id', endpointId)
      await expectAudited(1)
      await app.endpoints.rotateSecret(merchantId, null, operatorActor)
      await expectAudited(2)
      await app.endpoints.rotateSecret(merchantId, null, operatorActor)
      await expectAudited(3)
      await raw(`update webhook_endpoints set version = 0 where endpoint_id = '${endpointId}' returning 1 as one`)
      await app.endpoints.remove(merchantId, endpointId, operatorActor)
      assert.deepEqual(await newestOf(deps, endpointId), { version: 4, mac: '' })
    }),
  )

  test(
    'a form session is in the audit after each attempt and after its cancellation',
    behind(withStore, dialect, async (deps) => {
      const merchant = deps.app.merchant()
      const options = { origin: 'https://shop.example', customer: 'c-1', save: 'ask', return: 'https://shop.example/back' } as const
      const { session } = await merchant.call('form.sessions.create', options)
      const expectAudited = expectAuditedRow(deps, 'form_sessions', 'session_id', session.slice(0, 24))
      await expectAudited(1)
      for (const version of [2, 3]) {
        await merchant.call('cards.create', { card: { number: '', expire: '0399' }, session }, successPan)
        await expectAudited(version)
      }
      await merchant.call('form.sessions.cancel', { session })
      await expectAudited(4)
    }),
  )

  test(
    'a one-time card is in the audit when a payment has used it',
    behind(withStore, dialect, async (deps) => {
      const merchant = deps.app.merchant()
      const token = await merchant.createVerifiedToken(successPan, { save: false })
      const { receipt } = await merchant.call('receipts.create', { amount: 500_000 })
      const expectAudited = expectAuditedRow(deps, 'cards', 'card_id', token.slice(0, 24))
      await expectAudited(2)
      await merchant.call('receipts.pay', { id: receipt._id, token })
      await expectAudited(3)
    }),
  )

  test(
    'an operation that was deleted, put back as it was before, or inserted is refused with an alarm before money moves',
    behind(withStore, dialect, async (deps) => {
      const { app, raw } = deps
      const { seal } = makeRowAuthenticator(app.keyring, app.environment, operationsTable)
      const receipts = makeRowAuthenticator(app.keyring, app.environment, receiptsTable)
      const write = async (table: string, where: string, row: Readonly<Record<string, Value>>) => {
        const set = Object.entries(row).map(([column, value]) => `${column} = ${literal(dialect, value)}`)
        await raw(`update ${table} set ${set.join(', ')} where ${where} returning 1 as one`)
      }
      const putBack = async (id: string, hold: OperationRow) => {
        const { state, networkRef, resolvedAt, mac } = await seal({ ...hold, state: 'asked', networkRef: '', resolvedAt: 0 })
        const row = { state, network_ref: JSON.stringify(networkRef), settled_at: resolvedAt, mac }
        await write('operations', `receipt_id = '${id}' and kind = 'hold' and state = 'approved'`, row)
      }
      const changes: readonly [string, (id: string, hold: OperationRow) => Promise<unknown>][] = [
        ['deleted', (id) => raw(`delete from operations where receipt_id = '${id}' and state = 'declined' returning 1 as one`)],
        ['put back', putBack],
        ['inserted', async (id, hold) => insertOperation(deps, await seal({ ...hold, requestId: 'f'.repeat(24), kind: 'reverse' }), id)],
      ]
      for (const [what, change] of changes) {
        const { merchant, id, hold } = await holdAfterDecline(deps)
        await change(id, hold)
        app.alarms.length = 0
        assert.equal(await merchant.expectError('receipts.confirm_hold', { id }), 'internal_error', what)
        assert.ok(hasAlarm(app.alarms), what)
      }
      const untouched = await holdAfterDecline(deps)
      await untouched.merchant.call('receipts.confirm_hold', { id: untouched.id })

      // The control: in a receipt from before there were digests, the MACs alone let the older row decide.
      const { merchant, id, hold, receipt } = await holdAfterDecline(deps)
      const before = await receipts.seal({ ...receipt, operationsDigest: new Uint8Array(0) })
      await write('receipts', `receipt_id = '${id}'`, { operations_digest: before.operationsDigest, mac: before.mac })
      await putBack(id, hold)
      assert.equal(await merchant.expectError('receipts.confirm_hold', { id }), 'receipt_in_progress')
      await write('operations', `receipt_id = '${id}' and kind = 'hold' and state = 'asked'`, {
        state: hold.state,
        network_ref: JSON.stringify(hold.networkRef),
        settled_at: hold.resolvedAt,
        mac: hold.mac,
      })
      await merchant.call('receipts.confirm_hold', { id })
      const captured = await app.store.read(findReceipt(receipt))
      const operations = await app.store.read(listOperations(receipt))
      assert.deepEqual(captured?.operationsDigest, operationsDigestOf(operations), 'its next operation gives it a digest')
      assert.deepEqual(operations.map(({ kind, state }) => `${kind} ${state}`).toSorted(), [
        'capture approved',
        'hold approved',
        'hold declined',
      ])
    }),
  )

  test(
    'every dashboard session that was ended before its time is in the audit, and no other',
    behind(withStore, dialect, async (deps) => {
      const { app } = deps
      const client = createDashboardClient(app)
      for (const [what, end, ends] of endings) {
        const user = await client.user('read')
        const first = user.cookie
        await user.signIn()
        const second = user.cookie
        const owner = await client.user('owner', user.merchantId)
        await end(user, owner, first?.slice(0, 24) ?? '')
        const versions = []
        for (const cookie of [first, second, owner.cookie])
          versions.push((await newestOf(deps, cookie?.slice(0, 24) ?? ''))?.version ?? null)
        assert.deepEqual(versions, [...ends, null], what)
      }
    }),
  )

  test(
    'a session that was hidden while its user ended all others is refused with an alarm when it is put back; otherwise it goes on',
    behind(withStore, dialect, async (deps) => {
      const { app, raw } = deps
      const client = createDashboardClient(app)
      const hide = async (user: DashboardUser) => {
        const sessionId = user.cookie?.slice(0, 24) ?? ''
        const { csrf, cookie } = user
        await raw(`create table hidden as select * from dashboard_sessions where session_id = '${sessionId}'`)
        await raw(`delete from dashboard_sessions where session_id = '${sessionId}'`)
        await user.signIn()
        return async (): Promise<string | null> => {
          await raw('insert into dashboard_sessions select * from hidden')
          await raw('drop table hidden')
          app.alarms.length = 0
          Object.assign(user, { csrf, cookie })
          return (await user.callRaw('dashboard.session.list', {})).error?.reason ?? null
        }
      }
      const untouched = await client.user('read')
      assert.equal(await (await hide(untouched))(), null, 'the control')

      const everywhere = await client.user('read')
      const putBack = await hide(everywhere)
      await everywhere.call('dashboard.session.signOutEverywhere', {})
      assert.equal(await putBack(), 'signed_out')
      assert.ok(hasAlarm(app.alarms))
      await everywhere.signIn()
      await everywhere.call('dashboard.session.list', {})

      const changed = await client.user('read')
      const putBackAgain = await hide(changed)
      const { cookie, csrf } = changed
      const newPassword = 'another battery of horses'
      await changed.call('dashboard.password.change', { password: changed.password, newPassword })
      assert.equal(await putBackAgain(), 'signed_out')
      assert.ok(hasAlarm(app.alarms))
      Object.assign(changed, { cookie, csrf })
      assert.equal((await changed.call('dashboard.session.list', {})).sessions.length, 1, 'the session that changed the password goes on')
    }),
  )
}

/** A receipt whose first payment was declined, and whose second one holds the money. */
async function holdAfterDecline({ app }: BoundRowDependencies) {
  const merchant = app.merchant()
  const { receipt } = await merchant.call('receipts.create', { amount: 500_000, hold: true })
  const id = receipt._id
  const token = await merchant.createVerifiedToken(successPan)
  const { bucket, merchantId } = merchant
  await app.store.write(setScenarioStep, { merchantId, scenario: 'network', step: 'declined' })
  assert.equal(await merchant.expectError('receipts.pay', { id, token }), 'declined')
  await app.store.write(setScenarioStep, { merchantId, scenario: 'network', step: 'none' })
  app.clock.advance(1)
  await merchant.call('receipts.pay', { id, token })
  const row = await app.store.read(findReceipt({ bucket, merchantId, receiptId: id }))
  assert.ok(row !== null)
  const hold = (await app.store.read(listOperations(row))).find(({ state }) => state === 'approved')
  return { merchant, id, receipt: row, hold: hold ?? assert.fail('no hold') }
}

async function insertOperation({ raw, dialect }: BoundRowDependencies, row: OperationRow, id: string): Promise<void> {
  const values = operationsTable.toValues(row).map((value) => literal(dialect, value))
  assert.equal(row.receiptId, id)
  await raw(`insert into operations (${operationsTable.columns}) values (${values.join(', ')}) returning 1 as one`)
}

type Ending = readonly [string, (user: DashboardUser, owner: DashboardUser, first: string) => Promise<unknown>, readonly (number | null)[]]

/** What ends sessions, and which of two sessions it ends: the first and the second, in which the user acts. */
const endings: readonly Ending[] = [
  ['nothing', () => Promise.resolve(), [null, null]],
  ['signing out', (user) => user.call('dashboard.session.signOut', {}), [null, 2]],
  ['signing another out', (user, _owner, sessionId) => user.call('dashboard.session.signOut', { sessionId }), [2, null]],
  ['signing out everywhere', (user) => user.call('dashboard.session.signOutEverywhere', {}), [2, 2]],
  [
    'another password',
    (user) => user.call('dashboard.password.change', { password: user.password, newPassword: 'another battery of horses' }),
    [2, null],
  ],
  ['a reset', ({ userId }, owner) => owner.call('dashboard.users.resetPassword', { userId }), [2, 2]],
  ['another role', ({ userId }, owner) => owner.call('dashboard.users.setRole', { userId, role: 'support' }), [2, 2]],
  ['a block', ({ userId }, owner) => owner.call('dashboard.users.block', { userId, blocked: true }), [2, 2]],
]

async function newestOf({ app }: BoundRowDependencies, subject: string): Promise<{ version: number; mac: string } | null> {
  const newest = await app.store.read(findNewestAudited(subject))
  return newest === null ? null : { version: newest.version, mac: Buffer.from(newest.mac).toString('hex') }
}

/** Expects that the newest audit entry of a row has its version and its MAC. */
function expectAuditedRow(deps: BoundRowDependencies, table: string, column: string, id: string): (version: number) => Promise<void> {
  return async (version) => {
    const [row] = await deps.raw(`select version, mac from ${table} where ${column} = '${id}'`)
    const mac = row?.['mac'] instanceof Uint8Array ? Buffer.from(row['mac']).toString('hex') : ''
    assert.equal(mac.length, 96)
    assert.deepEqual([Number(row?.['version']), await newestOf(deps, id)], [version, { version, mac }])
  }
}
