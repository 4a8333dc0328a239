import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeReseal } from '../cards/reseal.ts'
import { compose } from '../methods/compose.fixture.ts'
import type { House } from '../methods/compose.fixture.ts'
import { StoreFull } from '../store/store.ts'
import type { Store } from '../store/store.ts'

import { answersOf } from './answers-of.ts'
import type { Answers } from './answers.ts'

function answersIn(house: House, store: Store = house.store): Answers {
  const { keyring, clock, environment } = house
  const reseal = makeReseal({ store, keyring, clock, environment, alarm: () => assert.fail('a row was tampered with') })
  const life = { state: 'ready', facts: null, store, inFlight: () => 0, unrecorded: () => 0 } as const
  return answersOf({
    life: { ...life },
    store,
    clock,
    keyring,
    kekId: 'test',
    environment,
    reseal,
    controls: null,
    reset: null,
    sandbox: null,
    endpoints,
    merchants: house.merchants.deeds,
    users: house.dashboard.users,
    merchantEndpoints,
    disclosures: house.disclosures,
  })
}

const unasked = (): never => assert.fail('webhooks are not asked for here')
const merchantEndpoints = { set: unasked, remove: unasked, test: unasked }
const endpoints = {
  add: unasked,
  list: unasked,
  remove: unasked,
  rotateSecret: unasked,
  events: unasked,
  dead: unasked,
  replay: unasked,
  endpointsMax: 5,
  test: unasked,
}

async function audited({ store }: House): Promise<string[]> {
  const [head] = await store.listAuditChains()
  const entries = await store.readAudit(head?.chain ?? '', 0, 100)
  return entries.filter(({ actor }) => actor === 'operator').map(({ action, outcome }) => `${action} ${outcome}`)
}

test('what an operator does to a key is in the audit, refusals included', async (t) => {
  const house = await compose()
  t.after(() => house.close())
  const { keys } = answersIn(house)
  const { merchantId } = house.caller()
  const first = await house.keyring.active('card', merchantId)
  await keys.rotate('card', merchantId)
  assert.match((await keys.destroy(first.keyId)) ?? '', /in use/)
  house.clock.advance(3 * 60_000)
  assert.equal(await keys.destroy(first.keyId), null)
  assert.deepEqual(await audited(house), [
    'key.rotate asked',
    'key.rotate done',
    'key.destroy asked',
    'key.destroy refused',
    'key.destroy asked',
    'key.destroy done',
  ])
})

test('a key is not destroyed when the audit has no room to say so', async (t) => {
  const house = await compose()
  t.after(() => house.close())
  const full: Store = { ...house.store, appendAudit: () => Promise.reject(new StoreFull('full')) }
  const { merchantId } = house.caller()
  const first = await house.keyring.active('card', merchantId)
  await house.keyring.rotate('card', merchantId)
  house.clock.advance(3 * 60_000)
  await assert.rejects(answersIn(house, full).keys.destroy(first.keyId), StoreFull)
  assert.equal((await house.keyring.byId(first.keyId)).keyId, first.keyId)
})
