import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { hashPassword, issuePassword } from '@tessera/vault/credential'
import { bucketOf } from '@tessera/vault/id'

import { compose, randomHex } from '../methods/compose.fixture.ts'
import { demoMerchant } from '../sandbox/demo.ts'
import type { MerchantRow, Store } from '../store/store.ts'

import { makeMerchants } from './merchants.ts'

const house = await compose()
after(() => house.close())
const { keyring, clock } = house
const merchants = makeMerchants(house)
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
  const told = { merchantId: id, bucket: bucketOf(id), blocked: false, origins: [], strictServerAuth: false }
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

test('the password of one merchant is nothing at another', async () => {
  const password = issuePassword()
  const [one, other] = [await issueMerchant(password), await issueMerchant(issuePassword())]
  assert.equal((await merchants.authenticate(`${one}:${password}`)).kind, 'server')
  assert.equal((await merchants.authenticate(`${other}:${password}`)).kind, 'denied')
})

test('during a rotation both passwords are right, under the pepper that they were hashed with', async () => {
  const id = randomHex(24)
  const [older, newest] = [issuePassword(), issuePassword()]
  const dek = await keyring.active('pepper')
  const passwordHashes = [hashPassword(dek, id, newest), hashPassword(dek, id, older)]
  await house.store.insertMerchant({ ...rowOf(id), passwordHashes, pepperKeyId: dek.keyId }, note)
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
  let row: MerchantRow | null = rowOf(randomHex(24))
  let asked = 0
  const findMerchant = async () => {
    asked += 1
    return row
  }
  const store: Store = { ...house.store, findMerchant }
  const watched = makeMerchants({ store, keyring, clock })
  const { id } = row
  await watched.authenticate(id)
  row = { ...row, state: 'blocked', origins: ['https://shop.example'], strictServerAuth: true }
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
    return rowOf(id)
  }
  const watched = makeMerchants({ store: { ...house.store, findMerchant }, keyring, clock })
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
  const known = { id, bucket: bucketOf(id), name: 'Shop', state: 'active', createdAt: 0 } as const
  return { ...known, passwordHashes: [], pepperKeyId: '', origins: [], strictServerAuth: false }
}
