import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'
import type { Keyring } from '@tessera/vault/keyring'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { listAuditOfSubject } from '../../store/audit.ts'
import type { Dialect } from '../../store/migrations/migrations.ts'
import { listAllReceipts, receiptsTable } from '../../store/receipts.ts'
import type { StoreUnderTest, WithStore } from '../../store/suite/opened.fixture.ts'
import { createDashboardClient } from '../../testing/dashboard-user.fixture.ts'
import { randomHex } from '../../testing/random.fixture.ts'
import { successPan } from '../../testing/receipts.fixture.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import { literal, payHold } from '../bound-rows.fixture.ts'
import { hasAlarm } from '../bound-rows.suite.ts'
import { startReceiver } from '../webhooks/receiver.fixture.ts'

/** The upgrade from a version whose rows had no MAC, with the real migration. */
export function rowSigningSuite(withStore: WithStore, dialect: Dialect): void {
  test(
    'an upgrade delivers waiting events, answers open idempotency keys and confirms holds, ends sign-ins, and signs rows only once',
    withStore(async (opened) => {
      const receiver = await startReceiver()
      after(() => receiver.close())
      const before = await createTestApp({ after }, { store: opened.store })
      const merchant = before.merchant()
      const { merchantId } = merchant
      await before.merchants.ensureMerchant({ id: merchantId, name: 'A shop', password: 'a password of the API, as long as one' })
      if ((await before.endpoints.add(merchantId, receiver.url, operatorActor)) instanceof SettingProblem) assert.fail('no endpoint')
      const held = await payHold(merchant)
      const token = await merchant.createToken(successPan)
      await merchant.call('cards.get_verify_code', { token })
      await merchant.call('form.sessions.create', { origin: 'https://shop.example', save: 'ask' })
      await createDashboardClient(before).user('owner', merchantId)
      const [done, open] = [keyedRequest(merchant), keyedRequest(merchant)]
      for (const request of [done, open])
        await before.idempotency.once(request, { run: () => Promise.resolve({ ran: request.key }), reconcile: null })
      await revertMigration({ ...opened, dialect }, before, open.requestId)

      const marked = hideMark(before.keyring)
      const continued = { keyring: marked.keyring, clock: before.clock, endpoint: before.endpoint }
      const app = await createTestApp({ after }, { store: await opened.reopen(), continues: continued })
      const counts = await opened.raw(`select (select count(*) from dashboard_sessions) as sessions,
        (select count(*) from form_sessions) as forms, (select count(*) from verifications) as codes`)
      assert.deepEqual(Object.values(counts[0] ?? {}).map(Number), [0, 0, 0])
      assert.equal(await sameMerchant(app, merchantId).expectError('cards.verify', { token, code: '666666' }), 'code_not_requested')
      assert.deepEqual(
        (await app.store.read(listAuditOfSubject('', 'rows', 9))).map(({ action }) => action),
        ['rows.signed'],
      )

      await app.webhooks.runOnce()
      await app.webhooks.idle()
      assert.ok(receiver.heard.length >= 1, 'the waiting events were delivered')
      await sameMerchant(app, merchantId).call('receipts.confirm_hold', { id: held })
      const again = { run: () => Promise.reject(new Error('it ran again')), reconcile: () => Promise.resolve({ ran: 'reconciled' }) }
      const outcomes = await Promise.all([done, open].map((request) => app.idempotency.once(request, again)))
      assert.deepEqual(
        outcomes.map(({ ran }) => ran),
        [done.key, 'reconciled'],
      )
      assert.deepEqual(app.alarms, [])

      // A row without a MAC is refused from now on, also after a restart.
      const other = await payHold(sameMerchant(app, merchantId))
      await opened.raw(`update operations set mac = substr(mac, 1, 0) where receipt_id = '${other}' returning 1 as one`)
      await app.close()
      const restarted = await createTestApp({ after }, { store: await opened.reopen(), continues: continued })
      assert.equal(await sameMerchant(restarted, merchantId).expectError('receipts.confirm_hold', { id: other }), 'internal_error')
      assert.ok(hasAlarm(restarted.alarms))

      // An operator vouches for the rows of a restored database.
      const { keys } = restarted.app.services
      const unsigned = async () => (await keys.countUnsigned()).filter(({ count }) => count > 0)
      assert.deepEqual(await unsigned(), [{ table: 'operations', count: 1 }])
      assert.equal(await keys.signRestored(operatorActor), 1)
      assert.deepEqual(await unsigned(), [])
      await sameMerchant(restarted, merchantId).call('receipts.confirm_hold', { id: other })
      assert.deepEqual(
        (await restarted.store.read(listAuditOfSubject('', 'rows', 9))).map(({ actor, outcome }) => `${actor} ${outcome}`).sort(),
        ['operator restored', 'operator restored_requested', 'system done'],
      )
      // A row with a wrong MAC is not signed.
      await opened.raw(`update operations set amount_tiyin = 1 where receipt_id = '${held}' returning 1 as one`)
      assert.equal(await keys.signRestored(operatorActor), 0)
      await restarted.close()

      // The mark was deleted from the keys.
      const unmarked = { ...continued, keyring: hideMark(before.keyring).keyring }
      await assert.rejects(createTestApp({ after }, { store: await opened.reopen(), continues: unmarked }), /key store/)
      await before.close()
    }),
  )
}

function sameMerchant(app: TestApp, merchantId: string) {
  return app.merchant('spec', merchantId)
}

function keyedRequest({ merchantId, bucket }: { merchantId: string; bucket: number }) {
  return {
    key: randomHex(16),
    caller: { merchantId, bucket, kind: 'server' as const },
    profile: 'spec',
    method: 'receipts.pay',
    params: {},
    cardNumber: null,
    requestId: randomHex(24),
    signal: new AbortController().signal,
  }
}

/** Makes the database what it was before migration 20, with the rows in it and without the outcome of one idempotency key. */
async function revertMigration(
  { raw, store, dialect }: StoreUnderTest & { dialect: Dialect },
  { keyring, environment }: TestApp,
  openRequestId: string,
): Promise<void> {
  const { seal } = makeRowAuthenticator(keyring, environment, receiptsTable)
  for (const receipt of await store.read(listAllReceipts(9, { bucket: -1, receiptId: '' }))) {
    if ('brokenAt' in receipt) assert.fail(receipt.brokenAt)
    const { mac } = await seal({ ...receipt, operationsDigest: new Uint8Array(0) })
    await raw(`update receipts set mac = ${literal(dialect, mac)} where receipt_id = '${receipt.receiptId}' returning 1 as one`)
  }
  await raw('alter table receipts drop column operations_digest')
  await raw('drop index deliveries_endpoint_due')
  await raw('alter table idempotency drop column process_id')
  for (const column of ['network', 'trace']) await raw(`alter table operations drop column ${column}`)
  for (const table of ['webhook_endpoints', 'form_sessions']) await raw(`alter table ${table} drop column version`)
  for (const column of ['sessions_from', 'kept_session']) await raw(`alter table dashboard_users drop column ${column}`)
  await raw(`update idempotency set sealed = null where request_id = '${openRequestId}' returning 1 as one`)
  // Its links were made without a key, so that what this version wrote would be no chain.
  await raw('delete from audit returning 1 as one')
  const tables = ['dashboard_sessions', 'operations', 'outbox', 'webhook_endpoints', 'idempotency', 'page_scripts', 'card_locks']
  for (const table of [...tables, 'disclosures', 'verifications']) await raw(`alter table ${table} drop column mac`)
  for (const column of ['tries_max', 'life_ms']) await raw(`alter table verifications add column ${column} integer not null default 5`)
  for (const column of ['key_id', 'address', 'changes']) await raw(`alter table audit drop column ${column}`)
  // Of the migrations after it.
  await raw('drop index request_log_caller')
  if (dialect === 'postgres') await raw('drop table request_segments')
  for (const column of ['amount_tiyin', 'order_text', 'cards', 'picked', 'removals'])
    await raw(`alter table form_sessions drop column ${column}`)
  for (const column of ['name', 'last_sign_in_at']) await raw(`alter table dashboard_users drop column ${column}`)
  for (const column of ['types', 'disabled_at']) await raw(`alter table webhook_endpoints drop column ${column}`)
  for (const column of ['reply_headers', 'reply_body']) await raw(`alter table delivery_attempts drop column ${column}`)
  for (const table of [
    'receipt_summaries',
    'receipt_orders',
    'summary_positions',
    'summary_lease',
    'merchant_logos',
    'known_answers',
    'keks',
    'kek_processes',
    'trace_numbers',
    'sms_sends',
    'page_watches',
    'merchant_packs',
  ])
    await raw(`drop table ${table}`)
  for (const column of ['method', 'confirmed_at']) await raw(`alter table dashboard_sessions drop column ${column}`)
  for (const column of ['code_tries', 'codes_locked_until']) await raw(`alter table dashboard_users drop column ${column}`)
  for (const table of ['dashboard_recovery_codes', 'dashboard_passkeys', 'known_devices', 'sign_in_attempts'])
    await raw(`drop table ${table}`)
  await raw('delete from migrations where number >= 20 returning 1 as one')
}

/** The same keys without the one that marks that rows were signed, until it is made again. */
function hideMark(keyring: Keyring): { keyring: Keyring } {
  let isMarked = false
  return {
    keyring: {
      active: (purpose, owner) => {
        if (owner !== undefined && owner.startsWith('rows_signed')) isMarked = true
        return keyring.active(purpose, owner)
      },
      byId: (keyId) => keyring.byId(keyId),
      previousOf: (dek) => keyring.previousOf(dek),
      rotate: (purpose, owner) => keyring.rotate(purpose, owner),
      destroy: (keyId) => keyring.destroy(keyId),
      destroyExpired: () => keyring.destroyExpired(),
      renewExpiring: () => keyring.renewExpiring(),
      wrappingKekId: () => keyring.wrappingKekId(),
      rewrap: (run) => keyring.rewrap(run),
      inspect: () => keyring.inspect(),
      read: () => keyring.read(),
      list: () => keyring.list().filter(({ owner }) => isMarked || !owner.startsWith('rows_signed')),
    },
  }
}
