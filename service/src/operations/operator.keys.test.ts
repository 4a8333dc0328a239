import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'

import type { ErrorBody } from '@tessera/contract/errors'
import type { Kek } from '@tessera/vault/kek'

import { listAuditEntries, listAuditHeads } from '../store/audit.ts'
import { noteKekProcess } from '../store/keks.ts'
import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import type { Store } from '../store/store.ts'
import type { WithStore } from '../store/suite/opened.fixture.ts'
import { makeTestKek } from '../testing/kek.fixture.ts'
import { request } from '../testing/pipeline.fixture.ts'
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts'
import type { TestMerchant } from '../testing/test-merchant.fixture.ts'

describe('keys rewrap and verify with the embedded store', () => keysSuite(withSqlite))
describe('keys rewrap and verify with PostgreSQL', () => keysSuite(withPostgres))

function keysSuite(withStore: WithStore): void {
  test(
    'keys are wrapped by the next KEK while cards are created, no call fails, and a service that has only the next KEK opens them',
    withStore(async ({ store }) => {
      const [folder, old, next] = [makeFolder(), withId('old'), withId('next')]
      const app = await openApp({ store, folder, kek: old, next })
      const merchants = Array.from({ length: 4 }, () => app.merchant())
      const create = (merchant: TestMerchant) => merchant.createToken(pan)
      const before = await Promise.all(merchants.map(create))
      const rewrapping = callOperator(app, 'operator.keys.rewrap')
      const during = await Promise.all(Array.from({ length: 40 }, (_, at) => create(merchants[at % 4] ?? assert.fail())))
      const late = app.merchant()
      const { result } = await rewrapping
      assert.equal(result?.['left'], 0)
      assert.ok(Number(result['rewrapped']) >= 5)
      const first = await create(late)
      assert.equal(new Set([...before, ...during, first]).size, 45)
      assert.deepEqual(await actionsOf(store), ['key.rewrapped requested', 'key.rewrapped done'])
      const status = (await callOperator(app, 'operator.keys.list')).result as { kek: string; keys: { kekId: string }[] }
      assert.equal(status.kek, 'next')
      assert.ok(status.keys.every(({ kekId }) => kekId === 'next'))
      await app.close()

      const later = await openApp({ store, folder, kek: next })
      const checked = await later.merchant('spec', merchants[0]?.merchantId).call('cards.check', { token: before[0] ?? '' })
      assert.equal(checked.card.token, before[0])
      assert.deepEqual((await callOperator(later, 'operator.keys.verify')).result?.['findings'], [])
      await later.close()
      await assert.rejects(openApp({ store, folder, kek: old }), /is wrapped by KEK next, and this is KEK old/)
    }),
  )

  test(
    'a rewrap is refused while another process cannot unwrap by the next KEK, and nothing is changed; when that process has ended it runs',
    withStore(async ({ store }) => {
      const app = await openApp({ store, folder: makeFolder(), kek: withId('old'), next: withId('next') })
      const lock = await store.tryLock('process-0123456789abcdef')
      await store.write(noteKekProcess, { own: { processId: '0123456789abcdef', kekIds: 'old', notedAt: 0 }, ended: [] })
      assert.equal(reasonOf(await callOperator(app, 'operator.keys.rewrap')), 'rewrap_not_everywhere')
      assert.ok(app.keyring.list().every(({ kekId }) => kekId === 'old'))
      assert.deepEqual(await actionsOf(store), [])
      await lock?.release()
      app.clock.advance(1000)
      await app.keks.update()
      const { result, error } = await callOperator(app, 'operator.keys.rewrap')
      assert.equal(result?.['left'], 0, JSON.stringify(error))
    }),
  )

  test(
    'verify reports every key that was altered, exchanged, lost or destroyed in use, and is audited',
    withStore(async ({ store }) => {
      const folder = makeFolder()
      const app = await openApp({ store, folder, kek: withId('old') })
      const [first, second, third] = [app.merchant(), app.merchant(), app.merchant()]
      for (const merchant of [first, second, third]) await merchant.createToken(pan)
      await app.knownAnswers.update()
      assert.deepEqual((await callOperator(app, 'operator.keys.verify')).result?.['findings'], [])
      const keyOf = async ({ merchantId }: typeof first) => (await app.keyring.active('card', merchantId)).keyId
      const [exchanged, destroyed, lost] = [await keyOf(first), await keyOf(second), await keyOf(third)]
      changeKeys(
        folder,
        `update keys set wrapped = (select wrapped from keys where purpose = 'row_mac' limit 1) where key_id = '${exchanged}'`,
      )
      changeKeys(folder, `update keys set wrapped = x'', state = 'destroyed' where key_id = '${destroyed}'`)
      changeKeys(folder, `delete from keys where key_id = '${lost}'`)
      changeKeys(folder, `update keys set kek_id = 'another' where purpose = 'audit'`)
      const findings = (await callOperator(app, 'operator.keys.verify')).result?.['findings'] as { kind: string; keyId: string }[]
      const kindOf = (keyId: string) => findings.filter((finding) => finding.keyId === keyId).map(({ kind }) => kind)
      assert.deepEqual(kindOf(exchanged), ['altered'])
      assert.deepEqual(kindOf(destroyed), ['destroyed_in_use'])
      assert.deepEqual(kindOf(lost), ['lost'])
      assert.deepEqual(
        findings.filter(({ kind }) => kind === 'foreign').length,
        app.keyring.list().filter(({ purpose }) => purpose === 'audit').length,
      )
      assert.deepEqual(await actionsOf(store), ['key.verified clean', 'key.verified violations_found'])
    }),
  )
}

test('a rewrap is refused without another KEK', async (t) => {
  assert.equal(reasonOf(await callOperator(await createTestApp(t), 'operator.keys.rewrap')), 'rewrap_no_next')
})

test('status has the age of each key and KEK, and when each is due', async (t) => {
  const app = await createTestApp(t)
  await app.merchant().createToken(pan)
  app.clock.advance(3 * 86_400_000)
  const { keys, keks } = (await callOperator(app, 'operator.keys.list')).result as {
    keys: { purpose: string; ageDays: number; dueAt: string | null; createdAt: string }[]
    keks: { kekId: string; ageDays: number; dueAt: string; isWrapping: boolean }[]
  }
  const card = keys.find(({ purpose }) => purpose === 'card')
  assert.equal(card?.ageDays, 3)
  assert.equal(Date.parse(card.dueAt ?? '') - Date.parse(card.createdAt), 90 * 86_400_000)
  assert.equal(keys.find(({ purpose }) => purpose === 'row_mac')?.dueAt, null)
  assert.deepEqual(
    keks.map(({ kekId, ageDays, isWrapping }) => [kekId, ageDays, isWrapping]),
    [['test', 3, true]],
  )
})

const pan = '8600069195406311'
const folders: string[] = []
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-keys-'))
  folders.push(folder)
  return folder
}

function withId(id: string): Kek {
  return { ...makeTestKek(), id }
}

interface Opening {
  readonly store: Store
  readonly folder: string
  readonly kek: Kek
  readonly next?: Kek
}

/** A service on this store and the key store of this folder, which stays when it is closed. */
function openApp({ store, folder, kek, next }: Opening): Promise<TestApp> {
  const openNextKek = () => Promise.resolve(next ?? null)
  return createTestApp({ after }, { store, config: { dataFolder: folder }, adapters: { openKek: () => Promise.resolve(kek), openNextKek } })
}

interface OperatorReply {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: ErrorBody
}

async function callOperator({ app }: TestApp, method: string, params: object = {}): Promise<OperatorReply> {
  return JSON.parse((await app.handleOperator(request({ jsonrpc: '2.0', id: 1, method, params }, { xAuth: null }))).text) as OperatorReply
}

function reasonOf({ error }: OperatorReply): unknown {
  return (error?.data as { reason?: unknown } | undefined)?.reason
}

/** Changes the key store in its file. */
function changeKeys(folder: string, text: string): void {
  const db = new DatabaseSync(join(folder, 'keys.db'))
  db.exec(text)
  db.close()
}

/** What operators did to keys, by the audit. */
async function actionsOf(store: Store): Promise<string[]> {
  const heads = await listAuditHeads(store)
  const entries = (await Promise.all(heads.map(({ chain }) => store.read(listAuditEntries(chain, 0, 1000))))).flat()
  return entries
    .filter(({ actor, action }) => actor === 'operator' && action.startsWith('key.'))
    .sort((a, b) => a.at - b.at || a.seq - b.seq)
    .map(({ action, outcome }) => `${action} ${outcome}`)
}
