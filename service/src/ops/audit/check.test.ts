// time limit: 240 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'

import { createTestApp } from '../../testing/test-app.fixture.ts'
import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'
import type { TestApp } from '../../testing/test-app.fixture.ts'
import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import type { StoreUnderTest } from '../../store/suite/opened.fixture.ts'

import type { StoreReport } from './check.ts'
import { createDashboardClient } from '../../testing/dashboard-user.fixture.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'

interface Tampered {
  readonly raw: (text: string) => Promise<unknown>
  readonly caller: TestMerchant
  readonly app: TestApp
  readonly tokens: readonly string[]
}

type AssertReport = (report: StoreReport, tokens: readonly string[]) => void

/** Creates three cards, verifies one, tampers with the database and checks the audit; on both stores. */
function testTampering(fact: string, tamper: (tampered: Tampered) => Promise<unknown>, assertReport: AssertReport): void {
  const run = async ({ store, raw }: StoreUnderTest): Promise<void> => {
    const app = await createTestApp({ after }, { store })
    const caller = app.merchant()
    const tokens = [await caller.createToken(success), await caller.createToken(success), await caller.createToken(success)]
    await verify(caller, tokens[0] ?? '')
    await tamper({ raw, caller, tokens, app })
    assertReport(await app.verifyAudit(), tokens)
    await app.close()
  }
  test(`${fact}, on the embedded store`, withSqlite(run))
  test(`${fact}, on PostgreSQL`, withPostgres(run))
}

async function verify(caller: TestMerchant, token: string): Promise<void> {
  await caller.call('cards.get_verify_code', { token })
  await caller.call('cards.verify', { token, code: '666666' })
}

function cardIdOf(token: string | undefined): string {
  return token?.slice(0, 24) ?? ''
}

const success = '8600069195406311'

testTampering(
  'an unchanged database has no findings, also with removed cards',
  ({ caller, tokens }) => caller.call('cards.remove', { token: tokens[2] ?? '' }),
  (report) => assert.deepEqual([report.findings, report.chains, report.rows.card, report.more], [[], 1, 3, false]),
)

testTampering(
  'a card that was marked as verified in the database is found',
  ({ raw, tokens }) => raw(`update cards set verified = 1 where card_id = '${cardIdOf(tokens[1])}'`),
  (report, tokens) => {
    assert.deepEqual(
      report.findings.map((finding) => finding.kind === 'card' && [finding.id, finding.what]),
      [[cardIdOf(tokens[1]), 'its row was changed: the row MAC is wrong']],
    )
  },
)

testTampering(
  'a card whose row cannot be read is found, and the others are compared with the audit all the same',
  ({ raw, tokens }) => raw(`update cards set customer = '"' where card_id = '${cardIdOf(tokens[1])}'`),
  (report, tokens) => {
    assert.equal(report.rows.card, 3)
    assert.deepEqual(
      report.findings.map((finding) => finding.kind === 'card' && [finding.id, finding.what]),
      [[cardIdOf(tokens[1]), 'its row cannot be read: column customer is broken']],
    )
  },
)

testTampering(
  'an older row that was restored is found, although its MAC is valid',
  async ({ raw, caller, tokens }) => {
    await raw(`create table saved_rows as select * from cards where card_id = '${cardIdOf(tokens[1])}'`)
    await verify(caller, tokens[1] ?? '')
    await caller.call('cards.remove', { token: tokens[1] ?? '' })
    await raw(`delete from cards where card_id = '${cardIdOf(tokens[1])}'`)
    await raw(`insert into cards select * from saved_rows`)
    await raw(`drop table saved_rows`)
  },
  (report, tokens) => {
    assert.deepEqual(
      report.findings.map((finding) => finding.kind === 'card' && [finding.id, finding.what]),
      [[cardIdOf(tokens[1]), 'an older row was restored: it has version 1, the audit 3']],
    )
  },
)

testTampering(
  'a receipt and a merchant that were restored are found like cards',
  async ({ raw, caller, tokens, app }) => {
    const { receipt } = await caller.call('receipts.create', { amount: 500_000 })
    const { administration } = app.merchants
    const made = await administration.create({ name: 'A shop', settings: {} }, operatorActor)
    const id = made instanceof SettingProblem ? '' : made.merchant.row.id
    await raw(`create table receipts_saved as select * from receipts where receipt_id = '${receipt._id}'`)
    await raw(`create table merchants_saved as select * from merchants where id = '${id}'`)
    await caller.call('receipts.pay', { id: receipt._id, token: tokens[0] ?? '' })
    await administration.block(id, operatorActor)
    for (const [table, key, value] of [['receipts', 'receipt_id', receipt._id] as const, ['merchants', 'id', id] as const]) {
      await raw(`delete from ${table} where ${key} = '${value}'`)
      await raw(`insert into ${table} select * from ${table}_saved`)
      await raw(`drop table ${table}_saved`)
    }
  },
  (report) => {
    assert.deepEqual([report.rows.receipt, report.rows.merchant >= 1], [1, true])
    assert.deepEqual(
      report.findings.map((finding) => finding.kind !== 'chain' && [finding.kind, finding.what.replace(/[0-9]+$/, 'n')]),
      [
        ['receipt', 'an older row was restored: it has version 1, the audit n'],
        ['merchant', 'an older row was restored: it has version 1, the audit n'],
      ],
    )
  },
)

testTampering(
  'a user, a webhook endpoint, a form session, a sign-in and an operation that were restored are found like cards',
  async ({ raw, caller, tokens, app }) => {
    const user = await createDashboardClient(app).user('owner', caller.merchantId)
    const added = await app.endpoints.add(caller.merchantId, 'https://shop.example/events', operatorActor)
    if (added instanceof SettingProblem) return assert.fail(added.code)
    const form = { origin: 'https://shop.example', customer: 'c', save: 'ask', return: 'https://shop.example/back' } as const
    const { session } = await caller.call('form.sessions.create', form)
    const { receipt } = await caller.call('receipts.create', { amount: 500_000, hold: true })
    await caller.call('receipts.pay', { id: receipt._id, token: tokens[0] ?? '' })
    const rows = [
      ['dashboard_users', `user_id = '${user.userId}'`],
      ['webhook_endpoints', `endpoint_id = '${added.endpointId}'`],
      ['form_sessions', `session_id = '${session.slice(0, 24)}'`],
      ['dashboard_sessions', `user_id = '${user.userId}'`],
      ['operations', `receipt_id = '${receipt._id}'`],
    ] as const
    for (const [table, where] of rows) await raw(`create table ${table}_saved as select * from ${table} where ${where}`)
    await user.call('dashboard.session.signOutEverywhere', {})
    await app.endpoints.remove(caller.merchantId, added.endpointId, operatorActor)
    await caller.call('form.sessions.cancel', { session })
    await caller.call('receipts.confirm_hold', { id: receipt._id })
    for (const [table, where] of rows) {
      await raw(`delete from ${table} where ${where}`)
      await raw(`insert into ${table} select * from ${table}_saved`)
      await raw(`drop table ${table}_saved`)
    }
  },
  (report) => {
    assert.deepEqual([report.rows.user, report.rows.endpoint, report.rows.form_session, report.rows.session], [1, 1, 1, 1])
    assert.deepEqual(
      report.findings.map((finding) => finding.kind !== 'chain' && `${finding.kind}: ${finding.what}`),
      [
        'receipt: an operation of it was deleted, inserted or restored',
        'user: an older row was restored: it has version 1, the audit 2',
        'endpoint: an older row was restored: it has version 1, the audit 2',
        'form_session: an older row was restored: it has version 1, the audit 2',
        'session: an older row was restored: it has version 1, the audit 2',
      ],
    )
  },
)

for (const [what, statement, seq] of [
  ['changed', `update audit set outcome = 'nothing' where seq = 3`, 3],
  ['removed from the middle', `delete from audit where seq = 2`, 3],
  ['moved to another time', `update audit set at = at + 1 where seq = 2`, 2],
  ['given the hash of another', `update audit set hash = (select hash from audit where seq = 1) where seq = 4`, 4],
] as const) {
  testTampering(
    `an audit entry that was ${what} is found`,
    ({ raw }) => raw(statement),
    (report) => {
      const [first] = report.findings
      assert.deepEqual(first?.kind === 'chain' && first.seq, seq)
    },
  )
}

testTampering(
  'a row of another table is found when a column by which it is looked up was changed, and when it cannot be read',
  async ({ raw, caller }) => {
    const session = await caller.call('form.sessions.create', { origin: 'https://shop.example', save: 'ask' })
    await caller.call('form.sessions.create', { origin: 'https://shop.example', save: 'ask' })
    await raw(`update form_sessions set hash = token_hash from cards where form_sessions.session_id = '${session.session.slice(0, 24)}'`)
    assert.equal(await caller.expectError('form.sessions.get', session), 'session_unknown', 'as if it were not there')
    await raw(`update verifications set sent_by = 'nobody'`)
  },
  (report) => {
    assert.deepEqual(
      report.findings.map((finding) => [finding.kind === 'row' ? finding.table : finding.kind, finding.what]),
      [
        ['form_session', 'its row was changed: the row MAC is wrong'],
        ['verifications', 'its row cannot be read: column sent_by is broken'],
      ],
    )
    assert.ok(report.rows.row >= 4)
  },
)
