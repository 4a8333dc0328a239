import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, test } from 'node:test'

import type { Params } from '@tessera/contract/operations'

import { verifyMerchantExport } from '../ops/audit/verify-merchant-export.ts'
import { createDashboardClient, type DashboardUser } from '../testing/dashboard-user.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'
import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import type { StoreUnderTest } from '../store/suite/opened.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

async function exportAll(user: DashboardUser, params: Params<'dashboard.audit.export'>): Promise<string[]> {
  const lines: string[] = []
  for (let after: string | null = null, pages = 0; pages < 50; pages++) {
    const page: { text: string; next: string | null } = await user.call('dashboard.audit.export', { ...params, after })
    lines.push(...page.text.trimEnd().split('\n'))
    after = page.next
    if (after === null) return lines
  }
  throw new Error('the list has no end')
}

/** Six changes of two shops, one after the other, so that each has entries of the other between its own. */
async function changeTwoShops(): Promise<DashboardUser> {
  const [owner, other] = [await entrance.user('owner'), await entrance.user('owner')]
  for (const name of ['a', 'b', 'c']) {
    for (const user of [owner, other]) await user.call('dashboard.settings.change', { origins: [`https://${name}.example`] })
    app.clock.advance(1000)
  }
  return owner
}

const keys = (await app.auditArchive.publicKeys()).map(({ publicKey }) => publicKey)

test('an export of the dashboard is checked offline with the key of the service, and has no entry and no position of others', async () => {
  const owner = await changeTwoShops()
  const lines = await exportAll(owner, { count: 2 })
  const report = verifyMerchantExport(lines, null)
  const listed = (await owner.call('dashboard.audit.list', { count: 100 })).entries
  assert.deepEqual(report.findings, [])
  assert.equal(report.entries, listed.length)
  assert.ok(report.pages > 2, 'the control: of several pages')
  assert.equal(report.merchantId, owner.merchantId)
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => 'hash' in line)
  assert.deepEqual(
    entries.map(({ hash }) => hash),
    listed.map(({ proof }) => proof),
    'the same entries as in the list',
  )
  assert.ok(entries.every((entry) => !('chain' in entry) && !('seq' in entry)))
  assert.ok(keys.some((key) => JSON.stringify(JSON.parse(lines[0] ?? '')).includes(JSON.stringify(key))))
})

test('what was changed, left out or signed by somebody else is found', async () => {
  const owner = await changeTwoShops()
  const lines = await exportAll(owner, { count: 2, action: 'merchant.changed' })
  const foreign = generateKeyPairSync('ed25519').publicKey
  const check = (given: readonly string[]): string[] => verifyMerchantExport(given, null).findings.map(({ what }) => what)
  assert.deepEqual(check(lines), [])
  const second = lines.findIndex((line, at) => at > 0 && line.startsWith('{"type"'))
  const third = lines.findIndex((line, at) => at > second && line.startsWith('{"type"'))
  assert.ok(third > second || second > 0)
  assert.match(check(lines.map((line) => line.replace('https://b.example', 'https://evil.example'))).join(), /not those that were signed/)
  assert.match(check(lines.toSpliced(1, 1)).join(), /not those that were signed/)
  assert.match(check(lines.slice(0, second)).join(), /the list goes on/)
  assert.match(check(lines.slice(second)).join(), /does not follow/)
  assert.match(check(lines.map((line) => line.replace('"entries":2', '"entries":1'))).join(), /no page that one of the keys signed/)
  assert.match(
    verifyMerchantExport(lines, [foreign])
      .findings.map(({ what }) => what)
      .join(),
    /no page that one of the keys signed/,
  )
})

for (const [name, withStore] of [
  ['the embedded store', withSqlite],
  ['PostgreSQL', withPostgres],
] as const) {
  test(
    `neighbours in the chain are linked in the file, and an entry that was changed in the database is named, on ${name}`,
    withStore(async ({ store, raw }: StoreUnderTest) => {
      const own = await createTestApp({ after }, { store })
      const owner = await createDashboardClient(own).user('owner')
      await owner.call('dashboard.settings.change', { origins: ['https://first.example'] })
      await owner.call('dashboard.settings.change', { origins: ['https://second.example'] })
      const before = verifyMerchantExport(await exportAll(owner, { count: 100 }), null)
      assert.deepEqual(before.findings, [])
      assert.ok(before.linkedPairs > 0)
      await raw(`update audit set changes = replace(changes, 'second.example', 'forged.example') where merchant_id = '${owner.merchantId}'`)
      const forged = verifyMerchantExport(await exportAll(owner, { action: 'merchant.changed' }), null)
      assert.deepEqual(
        forged.findings.map(({ what }) => what.replace(/[0-9a-f]{64}/, '…')),
        ['the service could not link the entry with the hash … to the one before it'],
      )
    }),
  )
}
