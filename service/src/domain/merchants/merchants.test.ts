import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { issuePassword } from '@tessera/vault/credential'
import { bucketOf } from '@tessera/vault/id'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { createTestApp } from '../../testing/test-app.fixture.ts'
import { randomHex } from '../../testing/random.fixture.ts'
import { demoMerchant } from '../../adapters/sandbox/sandbox.ts'
import { insertAuditEntry } from '../../store/audit.ts'
import { findMerchant, insertMerchant, listCredentialUses, type MerchantRow, merchantsTable } from '../../store/merchants.ts'

import { makeCredential } from './credentials.ts'
import { makeMerchants } from './merchants.ts'
import { noSettings, writeSettings } from './settings.ts'
import { replaceInStore, replaceRead } from '../../testing/store.fixture.ts'

const app = await createTestApp({ after })
const { keyring, clock, environment, merchants } = app
const mac = makeRowAuthenticator(keyring, environment, merchantsTable)
const alarm = () => assert.fail('a row was called tampered')
const note = {
  at: 0,
  actor: 'test',
  action: 'test',
  merchantId: '',
  subject: '',
  version: 0,
  mac: new Uint8Array(0),
  requestId: '',
  outcome: '',
}

test('a merchant is a browser by its id and a server by its password', async () => {
  assert.equal(await merchants.ensureMerchant(demoMerchant), true)
  const { id, password } = demoMerchant
  const expected = {
    merchantId: id,
    bucket: bucketOf(id),
    blocked: false,
    origins: [],
    strictServerAuth: false,
    limits: {},
    referenceFields: new Set(),
  }
  assert.deepEqual(await merchants.authenticate(id), { kind: 'browser', passwordScope: null, ...expected })
  assert.deepEqual(await merchants.authenticate(`${id}:${password}`), { kind: 'server', passwordScope: 'full', ...expected })
  assert.deepEqual(await merchants.authenticate(` ${id}:${password} `), { kind: 'server', passwordScope: 'full', ...expected })
})

test('all wrong credentials are denied, and only an unknown id is disclosed', async () => {
  const id = await issueMerchant('the right one')
  const unknown = randomHex(24)
  const cases: [xAuth: string | null, kind: string][] = [
    [null, 'denied'],
    ['', 'denied'],
    [`${id}:`, 'denied'],
    [`${id}:wrong`, 'denied'],
    [`${id}:the right on`, 'denied'],
    [`${id}:the right onee`, 'denied'],
    [`${id}:The right one`, 'denied'],
    [`${id}:${'x'.repeat(200)}`, 'denied'],
    [unknown, 'unknownMerchant'],
    [`${unknown}:the right one`, 'unknownMerchant'],
    [id.toUpperCase(), 'unknownMerchant'],
    [`${id}0`, 'unknownMerchant'],
    ['admin:admin', 'unknownMerchant'],
    ["' or 1=1 --", 'unknownMerchant'],
  ]
  for (const [xAuth, kind] of cases) assert.deepEqual(await merchants.authenticate(xAuth), { kind }, String(xAuth))
})

test('during a rotation of password and pepper both passwords are accepted', async () => {
  const id = randomHex(24)
  const [older, newest] = [issuePassword(), issuePassword()]
  const first = await makeCredential(keyring, { id, credentials: [] }, older, { now: 0, scope: 'full' })
  await keyring.rotate('pepper')
  const second = await makeCredential(keyring, { id, credentials: [first] }, newest, { now: 0, scope: 'full' })
  assert.notEqual(first.pepperKeyId, second.pepperKeyId)
  await app.store.write(insertMerchant, { merchant: await mac.seal({ ...rowOf(id), credentials: [second, first] }), audit: note })
  for (const password of [older, newest]) assert.equal((await merchants.authenticate(`${id}:${password}`)).kind, 'server')
  assert.equal((await merchants.authenticate(`${id}:${issuePassword()}`)).kind, 'denied')
})

test('a merchant row changed without the keys authenticates no caller and raises the alarm', async () => {
  const alarms: unknown[] = []
  const id = await issueMerchant('first')
  const row = (await app.store.read(findMerchant(id))) ?? assert.fail('the row is missing')
  const altered: Partial<MerchantRow>[] = [
    { name: 'Another' },
    { state: 'blocked' },
    { version: 2 },
    { settings: writeSettings({ ...noSettings, origins: ['https://evil.example'] }) },
    { credentials: [await makeCredential(keyring, { id, credentials: [] }, 'mine', { now: 0, scope: 'full' })] },
    { credentials: [] },
    { credentials: row.credentials.map((each) => ({ ...each, scope: 'cards' })) },
    { mac: new Uint8Array(0) },
    { mac: new Uint8Array(48) },
  ]
  for (const change of altered) {
    const store = replaceInStore(
      app.store,
      replaceRead(findMerchant(''), () => Promise.resolve({ ...row, ...change })),
    )
    const deceived = makeMerchants({
      store,
      keyring,
      clock,
      environment,
      alarm: (event, expected) => void alarms.push([event, expected.merchantId]),
    })
    await assert.rejects(async () => deceived.authenticate(id), /has a wrong MAC/, Object.keys(change).join())
  }
  assert.deepEqual(
    alarms,
    altered.map(() => ['row_tampered', id]),
  )
  const original = replaceInStore(
    app.store,
    replaceRead(findMerchant(''), () => Promise.resolve(row)),
  )
  const whole = makeMerchants({ store: original, keyring, clock, environment, alarm })
  assert.equal((await whole.authenticate(`${id}:first`)).kind, 'server')
})

test('a demo merchant from before rows had a MAC is rewritten, not trusted', async () => {
  const id = randomHex(24)
  const planted = await makeCredential(keyring, { id, credentials: [] }, 'planted', { now: 0, scope: 'full' })
  await app.store.write(insertMerchant, { merchant: { ...rowOf(id), credentials: [planted] }, audit: note })
  assert.equal(await merchants.ensureMerchant({ id, name: 'Shop', password: 'public' }), false)
  assert.equal((await merchants.authenticate(`${id}:public`)).kind, 'server')
  assert.equal((await merchants.authenticate(`${id}:planted`)).kind, 'denied')
})

test('the last use of a password is recorded once an hour', async () => {
  const id = await issueMerchant('first')
  const used = async (): Promise<number[]> => {
    for (let turn = 0; turn < 3; turn++) await merchants.authenticate(`${id}:first`)
    await app.store.ping()
    await app.store.write(insertAuditEntry, { audit: note })
    return (await app.store.read(listCredentialUses(id))).map(({ lastUsedAt }) => lastUsedAt)
  }
  await merchants.authenticate(`${id}:wrong`)
  await merchants.authenticate(id)
  assert.deepEqual(await app.store.read(listCredentialUses(id)), [])
  const at = clock.now()
  assert.deepEqual(await used(), [at])
  clock.advance(3_599_999)
  assert.deepEqual(await used(), [at])
  clock.advance(1)
  assert.deepEqual(await used(), [at + 3_600_000])
})

test('the password of one merchant is not accepted for another', async () => {
  const password = issuePassword()
  const [one, other] = [await issueMerchant(password), await issueMerchant(issuePassword())]
  assert.equal((await merchants.authenticate(`${one}:${password}`)).kind, 'server')
  assert.equal((await merchants.authenticate(`${other}:${password}`)).kind, 'denied')
})

test('during a rotation both passwords are accepted, each under the pepper it was hashed with', async () => {
  const id = randomHex(24)
  const [older, newest] = [issuePassword(), issuePassword()]
  const bare = rowOf(id)
  const first = await makeCredential(keyring, bare, older, { now: 0, scope: 'full' })
  const second = await makeCredential(keyring, { id, credentials: [first] }, newest, { now: 0, scope: 'full' })
  await app.store.write(insertMerchant, { merchant: await mac.seal({ ...bare, credentials: [second, first] }), audit: note })
  await keyring.rotate('pepper')
  for (const password of [older, newest]) assert.equal((await merchants.authenticate(`${id}:${password}`)).kind, 'server')
  assert.equal((await merchants.authenticate(`${id}:${issuePassword()}`)).kind, 'denied')
})

test('ensureMerchant does not change the password of an existing merchant', async () => {
  const id = await issueMerchant('first')
  assert.equal(await merchants.ensureMerchant({ id, name: 'again', password: 'second' }), false)
  assert.equal((await merchants.authenticate(`${id}:first`)).kind, 'server')
  assert.equal((await merchants.authenticate(`${id}:second`)).kind, 'denied')
})

test('a merchant whose id could not seal a card is refused', async () => {
  for (const id of ['', 'shop', randomHex(22), randomHex(24).toUpperCase().replace(/^./, 'A')]) {
    await assert.rejects(merchants.ensureMerchant({ id, name: 'Shop', password: issuePassword() }), RangeError)
  }
})

test('a change of a merchant takes effect within five seconds, and the store is read once in between', async () => {
  let row: MerchantRow | null = await mac.seal(rowOf(randomHex(24)))
  let reads = 0
  const find = replaceRead(findMerchant(''), async () => {
    reads += 1
    return row
  })
  const store = replaceInStore(app.store, find)
  const watched = makeMerchants({ store, keyring, clock, environment, alarm })
  const { id } = row
  await watched.authenticate(id)
  const settings = writeSettings({ ...noSettings, origins: ['https://shop.example'], strictServerAuth: true })
  row = await mac.seal({ ...row, state: 'blocked', settings })
  clock.advance(4999)
  await watched.authenticate(id)
  assert.equal(reads, 1)
  clock.advance(1)
  const expected = {
    kind: 'browser',
    merchantId: id,
    bucket: bucketOf(id),
    blocked: true,
    origins: ['https://shop.example'],
    strictServerAuth: true,
    limits: {},
    referenceFields: new Set(),
    passwordScope: null,
  }
  assert.deepEqual(await watched.authenticate(id), expected)
  clock.jump(-3_600_000)
  row = null
  assert.deepEqual(await watched.authenticate(id), { kind: 'unknownMerchant' }, 'a clock that is set back does not extend the cache')
  clock.jump(3_600_000)
})

test('the merchant cache is bounded, however many merchants call', async () => {
  let reads = 0
  const find = replaceRead(findMerchant(''), async ([id]) => {
    reads += 1
    return mac.seal(rowOf(String(id)))
  })
  const watched = makeMerchants({ store: replaceInStore(app.store, find), keyring, clock, environment, alarm })
  const first = randomHex(24)
  for (const id of [first, ...Array.from({ length: 4096 }, () => randomHex(24)), first]) await watched.authenticate(id)
  assert.equal(reads, 4098)
})

async function issueMerchant(password: string): Promise<string> {
  const id = randomHex(24)
  await merchants.ensureMerchant({ id, name: 'Shop', password })
  return id
}

function rowOf(id: string): MerchantRow {
  const known = { id, bucket: bucketOf(id), version: 1, name: 'Shop', organization: '', address: '', state: 'active' } as const
  return { ...known, settings: '{}', credentials: [], createdAt: 0, mac: new Uint8Array(0) }
}
