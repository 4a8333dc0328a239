import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import type { Row } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import type { StoreUnderTest, WithStore } from '../../store/suite/opened.fixture.ts'
import { SettingProblem } from '@tessera/contract/setting-problems'

import { makeTestAuthenticator } from '../../testing/authenticator.fixture.ts'
import { createDashboardClient } from '../../testing/dashboard-user.fixture.ts'
import { successPan } from '../../testing/receipts.fixture.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import { payHold } from '../bound-rows.fixture.ts'
import { isTamperedEndpoint } from '../webhooks/endpoints.ts'
import { hasAlarm } from '../bound-rows.suite.ts'

/** Somebody who writes the database keeps rows, and puts them back when the service has changed them. */
export function freshnessSuite(withStore: WithStore): void {
  for (const [name, arrange] of Object.entries(objects)) {
    test(
      `${name}: an old row put back is refused with an alarm by this process, by another and after a restart`,
      withStore(async (opened) => {
        const folder = dataFolder()
        const app = await createTestApp({ after }, { store: opened.store, config: { dataFolder: folder } })
        const other = await createTestApp({ after }, { store: otherProcess(opened.store), continues: app })
        const object = await arrange(app)
        const thief = makeThief(opened.raw, object.table, object.where)

        await thief.keep()
        assert.notEqual(await used(app, object), 'refused', 'the control: before the change')
        await object.change()
        const afterChange = await thief.now()
        await other.follower.runOnce()
        await thief.putBack()
        for (const process of [app, other]) await assertRefused(process, object)

        if (object.isDeleted !== true) {
          await thief.put(afterChange)
          for (const process of [app, other]) assert.notEqual(await used(process, object), 'refused', 'the control: the newest row')
        }

        await thief.putBack()
        await app.close()
        await other.close()
        const restarted = await createTestApp({ after }, { store: await opened.reopen(), continues: app, config: { dataFolder: folder } })
        await assertRefused(restarted, object)
        if (object.isDeleted !== true) {
          await thief.put(afterChange)
          assert.notEqual(await used(restarted, object), 'refused', 'the control after a restart')
        }
        await restarted.close()
        rmSync(folder, { recursive: true, force: true })
      }),
    )
  }

  test(
    'a recovery code that was used, or replaced, and is put back signs nobody in',
    withStore(async (opened) => {
      const app = await createTestApp({ after }, { store: opened.store })
      const other = await createTestApp({ after }, { store: otherProcess(opened.store), continues: app })
      const user = await createDashboardClient(app).user('owner')
      const { recoveryCodes } = await user.call('dashboard.recoveryCodes.renew', {})
      const authenticator = makeTestAuthenticator()
      await user.call('dashboard.passkeys.add', authenticator.create(await user.call('dashboard.passkeys.begin', {})))
      const thief = makeThief(opened.raw, 'dashboard_recovery_codes', `user_id = '${user.userId}'`)
      const [first, second, third = '', fourth] = recoveryCodes
      await thief.keep()
      assert.equal(await user.signIn(first), null, 'the control')
      await thief.putBack()
      app.alarms.length = 0
      for (const process of [app, other]) {
        const again = Object.assign(createDashboardClient(process).visitor(user.merchantId), { phone: user.phone, password: user.password })
        await assert.rejects(again.signIn(first), /sign_in_refused/)
        assert.ok(hasAlarm(process.alarms))
      }
      assert.equal(await user.signIn(second), null, 'a code that was not used is accepted, put back or not')
      await user.call('dashboard.session.confirm', { code: third })
      await user.call('dashboard.recoveryCodes.renew', {})
      await thief.putBack()
      await assert.rejects(user.signIn(fourth), /sign_in_refused/)
    }),
  )

  test(
    'a row put back with every audit entry behind it is refused while the service runs, and the next start is refused',
    withStore(async (opened) => {
      const folder = dataFolder()
      const app = await createTestApp({ after }, { store: opened.store, config: { dataFolder: folder } })
      const other = await createTestApp({ after }, { store: otherProcess(opened.store), continues: app })
      const object = await removedCard(app)
      const thief = makeThief(opened.raw, object.table, object.where)
      await thief.keep()
      const heads = await opened.raw('select chain, max(seq) as seq from audit group by chain')
      await object.change()
      await other.follower.runOnce()
      await app.follower.runOnce()
      await thief.putBack()
      const cut = heads.map(({ chain, seq }) => `(chain = '${String(chain)}' and seq <= ${String(seq)})`)
      await opened.raw(`delete from audit where not (${cut.join(' or ')}) returning 1 as one`)
      for (const process of [app, other]) {
        process.alarms.length = 0
        await process.follower.runOnce()
        assert.ok(process.alarms.some((alarm) => alarm.startsWith('audit_chain_broken')))
        await assertRefused(process, object)
      }
      await app.close()
      await other.close()
      await opened.raw(`delete from audit where not (${cut.join(' or ')}) returning 1 as one`)
      const start = createTestApp({ after }, { store: await opened.reopen(), continues: app, config: { dataFolder: folder } })
      await assert.rejects(start, { code: 'database_restored' })
      // The control: without what the service recorded outside of the database, nothing tells.
      rmSync(folder, { recursive: true, force: true })
      const forgetful = await createTestApp({ after }, { store: await opened.reopen(), continues: app })
      assert.notEqual(await used(forgetful, object), 'refused')
    }),
  )

  for (const [what, forget] of [
    ['a crash', []],
    ['a crash, and the stored versions lost', ['row-versions']],
  ] as const) {
    test(
      `an entry deleted in the middle of the audit, with the row put back behind ${what}: the next start is refused, and accepted by an operator`,
      withStore(async (opened) => {
        const folder = dataFolder()
        const app = await createTestApp({ after }, { store: opened.store, config: { dataFolder: folder } })
        const object = await removedCard(app)
        const thief = makeThief(opened.raw, object.table, object.where)
        await thief.keep()
        await object.change()
        await app.merchant().createVerifiedToken(successPan)
        // The end of the audit is recorded, and nothing is done for an orderly end.
        app.clock.advance(10_000)
        await app.follower.runOnce()
        for (const name of forget) rmSync(join(folder, name), { force: true })
        await thief.putBack()
        const start = () => createTestApp({ after }, { store: otherProcess(opened.store), continues: app, config: { dataFolder: folder } })
        const control = await start()
        await assertRefused(control, object)
        rmSync(join(folder, 'row-versions'), { force: true })
        await opened.raw(`delete from audit where subject = '${subjectOf(object)}' and version > 1 returning 1 as one`)
        await assert.rejects(start(), { code: 'database_restored' })
      }),
    )
  }

  test(
    'a row that is read during a change is not refused',
    withStore(async (opened) => {
      const app = await createTestApp({ after }, { store: opened.store })
      const merchant = app.merchant()
      const token = await merchant.createVerifiedToken(successPan)
      await Promise.all([
        ...Array.from({ length: 20 }, () => merchant.callRaw('cards.check', { token })),
        merchant.call('cards.remove', { token }),
        ...Array.from({ length: 20 }, () => merchant.callRaw('cards.check', { token })),
      ])
      assert.deepEqual(app.alarms, [])
    }),
  )

  test(
    'a start without the stored versions reads them from the audit',
    withStore(async (opened) => {
      const folder = dataFolder()
      const app = await createTestApp({ after }, { store: opened.store, config: { dataFolder: folder } })
      const object = await removedCard(app)
      const thief = makeThief(opened.raw, object.table, object.where)
      await thief.keep()
      await object.change()
      await app.close()
      rmSync(join(folder, 'row-versions'))
      await thief.putBack()
      const restarted = await createTestApp({ after }, { store: await opened.reopen(), continues: app, config: { dataFolder: folder } })
      await assertRefused(restarted, object)
      rmSync(folder, { recursive: true, force: true })
    }),
  )
}

/** An object of a running service, a change of it, and what its row decides. */
interface ChangedObject {
  readonly table: string
  readonly where: string
  /** Whether the change deletes the row. */
  readonly isDeleted?: boolean
  /** Changes the object by the service. */
  change(): Promise<unknown>
  /** What the service makes of the row. */
  use(app: TestApp): Promise<unknown>
}

/** How to change and use an object of each kind that must not be put back. */
const objects: Readonly<Record<string, (app: TestApp) => Promise<ChangedObject>>> = {
  'a removed card': removedCard,
  'a receipt that was paid': paidReceipt,
  'a blocked merchant': blockedMerchant,
  'a blocked dashboard user': blockedUser,
  'a webhook endpoint that was removed': removedEndpoint,
  'a form session that was cancelled': cancelledFormSession,
  'a sign-in that was ended': endedSession,
  'a passkey that was removed': removedPasskey,
}

async function removedCard(app: TestApp): Promise<ChangedObject> {
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan)
  return {
    table: 'cards',
    where: `card_id = '${token.slice(0, 24)}'`,
    change: () => merchant.call('cards.remove', { token }),
    use: (of) => sameMerchant(of, merchant.merchantId).callRaw('cards.check', { token }),
  }
}

async function paidReceipt(app: TestApp): Promise<ChangedObject> {
  const merchant = app.merchant()
  const id = await payHold(merchant)
  return {
    table: 'receipts',
    where: `receipt_id = '${id}'`,
    change: () => merchant.call('receipts.confirm_hold', { id }),
    use: (of) => sameMerchant(of, merchant.merchantId).callRaw('receipts.get', { id }),
  }
}

async function blockedMerchant(app: TestApp): Promise<ChangedObject> {
  const { merchantId } = app.merchant()
  const password = 'a password of the API, as long as one'
  await app.merchants.ensureMerchant({ id: merchantId, name: 'A shop', password })
  return {
    table: 'merchants',
    where: `id = '${merchantId}'`,
    change: () => app.merchants.administration.block(merchantId, operatorActor),
    use: (of) => of.merchants.read(merchantId),
  }
}

async function blockedUser(app: TestApp): Promise<ChangedObject> {
  const user = await createDashboardClient(app).user('owner')
  const key = { merchantId: user.merchantId, userId: user.userId }
  await createDashboardClient(app).user('owner', user.merchantId)
  return {
    table: 'dashboard_users',
    where: `user_id = '${user.userId}'`,
    change: () => app.dashboard.users.setBlocked(key, true, operatorActor),
    use: async (of) => (await of.dashboard.users.list(user.merchantId)).filter(({ userId }) => userId === user.userId),
  }
}

async function removedEndpoint(app: TestApp): Promise<ChangedObject> {
  const { merchantId } = app.merchant()
  await app.merchants.ensureMerchant({ id: merchantId, name: 'A shop', password: 'a password of the API, as long as one' })
  const added = await app.endpoints.add(merchantId, 'http://127.0.0.1:1/hook', operatorActor)
  if (added instanceof SettingProblem) return assert.fail(added.code)
  return {
    table: 'webhook_endpoints',
    isDeleted: true,
    where: `endpoint_id = '${added.endpointId}'`,
    change: () => app.endpoints.remove(merchantId, added.endpointId, operatorActor),
    use: async (of) => (await of.endpoints.list(merchantId)).filter((each) => !isTamperedEndpoint(each)),
  }
}

async function cancelledFormSession(app: TestApp): Promise<ChangedObject> {
  const merchant = app.merchant()
  const options = { origin: 'https://shop.example', customer: 'c-1', save: 'ask', return: 'https://shop.example/back' } as const
  const { session } = await merchant.call('form.sessions.create', options)
  return {
    table: 'form_sessions',
    where: `session_id = '${session.slice(0, 24)}'`,
    change: () => merchant.call('form.sessions.cancel', { session }),
    use: (of) => sameMerchant(of, merchant.merchantId).callRaw('form.sessions.get', { session }),
  }
}

async function removedPasskey(app: TestApp): Promise<ChangedObject> {
  const user = await createDashboardClient(app).user('owner')
  const authenticator = makeTestAuthenticator()
  const { passkeyId } = await user.call('dashboard.passkeys.add', authenticator.create(await user.call('dashboard.passkeys.begin', {})))
  return {
    table: 'dashboard_passkeys',
    isDeleted: true,
    where: `passkey_id = '${passkeyId}'`,
    change: () => user.call('dashboard.passkeys.remove', { passkeyId }),
    use: async (of) => {
      of.clock.advance(1)
      const visitor = createDashboardClient(of).visitor()
      const { passkey } = await visitor.call('dashboard.session.passkeyChallenge', {})
      const reply = await visitor.callRaw('dashboard.session.signInByPasskey', { passkey: authenticator.get(passkey) })
      return reply.error === undefined ? 'signed in' : null
    },
  }
}

async function endedSession(app: TestApp): Promise<ChangedObject> {
  const user = await createDashboardClient(app).user('owner')
  const { cookie, csrf } = user
  return {
    table: 'dashboard_sessions',
    isDeleted: true,
    where: `session_id = '${cookie?.slice(0, 24) ?? ''}'`,
    change: () => user.call('dashboard.session.signOut', {}),
    use: async (of) => {
      const again = Object.assign(createDashboardClient(of).visitor(user.merchantId), { cookie, csrf })
      return (await again.callRaw('dashboard.cards.list', {})).error?.reason === 'signed_out' ? null : 'signed in'
    },
  }
}

/** The store as another process sees it: it learns of a commit by reading the audit. */
function otherProcess(store: Store): Store {
  return { ...store, durability: store.durability, watchAudit: () => undefined }
}

function subjectOf({ where }: ChangedObject): string {
  return /'([0-9a-f]+)'/.exec(where)?.[1] ?? assert.fail(where)
}

/** Keeps the rows of a table that a condition finds, and writes them again. */
function makeThief(raw: StoreUnderTest['raw'], table: string, where: string) {
  let copies = 0
  let old = ''
  return { keep, now, putBack: () => put(old), put }

  async function keep(): Promise<void> {
    old = await now()
  }
  async function now(): Promise<string> {
    const copy = `copy_${table}_${String(copies++)}`
    await raw(`create table ${copy} as select * from ${table} where ${where}`)
    return copy
  }
  async function put(copy: string): Promise<readonly Row[]> {
    await raw(`delete from ${table} where ${where} returning 1 as one`)
    const inserted = await raw(`insert into ${table} select * from ${copy} returning 1 as one`)
    assert.ok(inserted.length > 0)
    return inserted
  }
}

async function assertRefused(process: TestApp, object: ChangedObject): Promise<void> {
  process.alarms.length = 0
  assert.equal(await used(process, object), 'refused')
  assert.ok(hasAlarm(process.alarms), 'no alarm')
  process.clock.advance(61_000)
}

/** `refused`, or what the service made of the row. */
async function used(process: TestApp, object: ChangedObject): Promise<unknown> {
  try {
    const reply = await object.use(process)
    const isRefused = typeof reply === 'object' && reply !== null && 'error' in reply && JSON.stringify(reply).includes('internal_error')
    return isRefused || reply === null || (Array.isArray(reply) && reply.length === 0) ? 'refused' : reply
  } catch {
    return 'refused'
  }
}

function sameMerchant(app: TestApp, merchantId: string) {
  return app.merchant('spec', merchantId)
}

function dataFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tessera-freshness-'))
}
