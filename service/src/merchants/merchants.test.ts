import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { issuePassword } from '@tessera/vault/credential'
import { bucketOf } from '@tessera/vault/id'

import { compose } from '../methods/compose.fixture.ts'
import { randomHex } from '../methods/drawn.fixture.ts'
import { demoMerchant } from '../sandbox/demo.ts'
import type { MerchantRow, Store } from '../store/store.ts'

import { makeCredential } from './credentials.ts'
import { makeMerchantMac } from './mac.ts'
import { makeMerchants } from './merchants.ts'
import { noSettings, writeSettings } from './settings.ts'

const house = await compose()
after(() => house.close())
const { keyring, clock, environment, merchants } = house
const mac = makeMerchantMac(keyring, environment)
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
  const told = { merchantId: id, bucket: bucketOf(id), blocked: false, origins: [], strictServerAuth: false, limits: {} }
  assert.deepEqual(await merchants.authenticate(id), { kind: 'browser', ...told })
  assert.deepEqual(await merchants.authenticate(`${id}:${password}`), { kind: 'server', ...told })
  assert.deepEqual(await merchants.authenticate(` ${id}:${password} `), { kind: 'server', ...told })
})

test('everything that is wrong is denied, and only that an id is unknown is told', async () => {
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

test('during a rotation of passwords and of the pepper between them both are right', async () => {
  const id = randomHex(24)
  const [older, newest] = [issuePassword(), issuePassword()]
  const first = await makeCredential(keyring, { id, credentials: [] }, older, 0)
  await keyring.rotate('pepper')
  const second = await makeCredential(keyring, { id, credentials: [first] }, newest, 0)
  assert.notEqual(first.pepperKeyId, second.pepperKeyId)
  await house.store.insertMerchant(await mac.seal({ ...rowOf(id), credentials: [second, first] }), note)
  for (const password of [older, newest]) assert.equal((await merchants.authenticate(`${id}:${password}`)).kind, 'server')
  assert.equal((await merchants.authenticate(`${id}:${issuePassword()}`)).kind, 'denied')
})

test('a merchant whose row was changed by somebody without the keys lets nobody in, and is told', async () => {
  const alarms: unknown[] = []
  const id = await issueMerchant('first')
  const row = (await house.store.findMerchant(id)) ?? assert.fail('it is kept')
  const altered: Partial<MerchantRow>[] = [
    { name: 'Another' },
    { state: 'blocked' },
    { version: 2 },
    { settings: writeSettings({ ...noSettings, origins: ['https://evil.example'] }) },
    { credentials: [await makeCredential(keyring, { id, credentials: [] }, 'mine', 0)] },
    { credentials: [] },
    { mac: new Uint8Array(0) },
    { mac: new Uint8Array(48) },
  ]
  for (const change of altered) {
    const store: Store = { ...house.store, findMerchant: () => Promise.resolve({ ...row, ...change }) }
    const deceived = makeMerchants({
      store,
      keyring,
      clock,
      environment,
      alarm: (event, told) => void alarms.push([event, told.merchantId]),
    })
    await assert.rejects(deceived.authenticate(id), /has a wrong MAC/, Object.keys(change).join())
  }
  assert.deepEqual(
    alarms,
    altered.map(() => ['row_tampered', id]),
  )
  const whole = makeMerchants({ store: { ...house.store, findMerchant: () => Promise.resolve(row) }, keyring, clock, environment, alarm })
  assert.equal((await whole.authenticate(`${id}:first`)).kind, 'server')
})

test('a demo merchant of before rows had a MAC is made again, not believed', async () => {
  const id = randomHex(24)
  const planted = await makeCredential(keyring, { id, credentials: [] }, 'planted', 0)
  await house.store.insertMerchant({ ...rowOf(id), credentials: [planted] }, note)
  assert.equal(await merchants.ensureMerchant({ id, name: 'Shop', password: 'public' }), false)
  assert.equal((await merchants.authenticate(`${id}:public`)).kind, 'server')
  assert.equal((await merchants.authenticate(`${id}:planted`)).kind, 'denied')
})

test('the last use of a password is written down once an hour', async () => {
  const id = await issueMerchant('first')
  const used = async (): Promise<number[]> => {
    for (let turn = 0; turn < 3; turn++) await merchants.authenticate(`${id}:first`)
    await house.store.ping()
    await house.store.appendAudit(note)
    return (await house.store.listCredentialUses(id)).map(({ lastUsedAt }) => lastUsedAt)
  }
  await merchants.authenticate(`${id}:wrong`)
  await merchants.authenticate(id)
  assert.deepEqual(await house.store.listCredentialUses(id), [])
  const at = clock.now()
  assert.deepEqual(await used(), [at])
  clock.advance(3_599_999)
  assert.deepEqual(await used(), [at])
  clock.advance(1)
  assert.deepEqual(await used(), [at + 3_600_000])
})

test('the password of one merchant is nothing at another', async () => {
  const password = issuePassword()
  const [one, other] = [await issueMerchant(password), await issueMerchant(issuePassword())]
  assert.equal((await merchants.authenticate(`${one}:${password}`)).kind, 'server')
  assert.equal((await merchants.authenticate(`${other}:${password}`)).kind, 'denied')
})

test('during a rotation both passwords are right, under the pepper that they were hashed with', async () => {
  const id = randomHex(24)
  const [older, newest] = [issuePassword(), issuePassword()]
  const bare = rowOf(id)
  const first = await makeCredential(keyring, bare, older, 0)
  const second = await makeCredential(keyring, { id, credentials: [first] }, newest, 0)
  await house.store.insertMerchant(await mac.seal({ ...bare, credentials: [second, first] }), note)
  await keyring.rotate('pepper')
  for (const password of [older, newest]) assert.equal((await merchants.authenticate(`${id}:${password}`)).kind, 'server')
  assert.equal((await merchants.authenticate(`${id}:${issuePassword()}`)).kind, 'denied')
})

test('an existing merchant keeps its password, whatever it is ensured with', async () => {
  const id = await issueMerchant('first')
  assert.equal(await merchants.ensureMerchant({ id, name: 'again', password: 'second' }), false)
  assert.equal((await merchants.authenticate(`${id}:first`)).kind, 'server')
  assert.equal((await merchants.authenticate(`${id}:second`)).kind, 'denied')
})

test('a merchant whose id could not seal a card is not kept', async () => {
  for (const id of ['', 'shop', randomHex(22), randomHex(24).toUpperCase().replace(/^./, 'A')]) {
    await assert.rejects(merchants.ensureMerchant({ id, name: 'Shop', password: issuePassword() }), RangeError)
  }
})

test('a change of a merchant is known within five seconds, and the store is asked once in between', async () => {
  let row: MerchantRow | null = await mac.seal(rowOf(randomHex(24)))
  let asked = 0
  const findMerchant = async () => {
    asked += 1
    return row
  }
  const store: Store = { ...house.store, findMerchant }
  const watched = makeMerchants({ store, keyring, clock, environment, alarm })
  const { id } = row
  await watched.authenticate(id)
  const settings = writeSettings({ ...noSettings, origins: ['https://shop.example'], strictServerAuth: true })
  row = await mac.seal({ ...row, state: 'blocked', settings })
  clock.advance(4999)
  await watched.authenticate(id)
  assert.equal(asked, 1)
  clock.advance(1)
  const told = {
    kind: 'browser',
    merchantId: id,
    bucket: bucketOf(id),
    blocked: true,
    origins: ['https://shop.example'],
    strictServerAuth: true,
    limits: {},
  }
  assert.deepEqual(await watched.authenticate(id), told)
  clock.jump(-3_600_000)
  row = null
  assert.deepEqual(await watched.authenticate(id), { kind: 'unknownMerchant' }, 'a clock that is set back keeps nothing alive')
  clock.jump(3_600_000)
})

test('what is remembered of merchants is bounded, however many call', async () => {
  let asked = 0
  const findMerchant = async (id: string) => {
    asked += 1
    return mac.seal(rowOf(id))
  }
  const watched = makeMerchants({ store: { ...house.store, findMerchant }, keyring, clock, environment, alarm })
  const first = randomHex(24)
  for (const id of [first, ...Array.from({ length: 4096 }, () => randomHex(24)), first]) await watched.authenticate(id)
  assert.equal(asked, 4098)
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
