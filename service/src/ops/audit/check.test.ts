import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { createTestApp } from '../../testing/test-app.fixture.ts'
import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'
import type { TestApp } from '../../testing/test-app.fixture.ts'
import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import type { StoreUnderTest } from '../../store/suite/opened.fixture.ts'

import { checkAudit } from './check.ts'
import type { AuditReport } from './check.ts'
import { cardsTable } from '../../store/cards.ts'
import { merchantsTable } from '../../store/merchants.ts'
import { receiptsTable } from '../../store/receipts.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'

interface Tampered {
  readonly raw: (text: string) => Promise<unknown>
  readonly caller: TestMerchant
  readonly app: TestApp
  readonly tokens: readonly string[]
}

type AssertReport = (report: AuditReport, tokens: readonly string[]) => void

/** Creates three cards, verifies one, tampers with the database and checks the audit; on both stores. */
function testTampering(fact: string, tamper: (tampered: Tampered) => Promise<unknown>, assertReport: AssertReport): void {
  const run = async ({ store, raw }: StoreUnderTest): Promise<void> => {
    const app = await createTestApp({ after }, { store })
    const caller = app.merchant()
    const tokens = [await caller.createToken(success), await caller.createToken(success), await caller.createToken(success)]
    await verify(caller, tokens[0] ?? '')
    await tamper({ raw, caller, tokens, app })
    const { keyring, environment } = app
    const macs = {
      card: makeRowAuthenticator(keyring, environment, cardsTable),
      receipt: makeRowAuthenticator(keyring, environment, receiptsTable),
      merchant: makeRowAuthenticator(keyring, environment, merchantsTable),
    }
    assertReport(await checkAudit({ store, macs }), tokens)
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
  (report) => assert.deepEqual([report.findings, report.chains, report.cards, report.more], [[], 1, 2, false]),
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
    assert.equal(report.cards, 3)
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
    assert.deepEqual([report.receipts, report.merchants >= 1], [1, true])
    assert.deepEqual(
      report.findings.map((finding) => finding.kind !== 'chain' && [finding.kind, finding.what.replace(/[0-9]+$/, 'n')]),
      [
        ['receipt', 'an older row was restored: it has version 1, the audit n'],
        ['merchant', 'an older row was restored: it has version 1, the audit n'],
      ],
    )
  },
)

for (const [what, statement, seq] of [
  ['changed', `update audit set outcome = 'nothing' where seq = 3`, 3],
  ['removed from the middle', `delete from audit where seq = 2`, 3],
  ['moved to another time', `update audit set at = at + 1 where seq = 1`, 1],
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
