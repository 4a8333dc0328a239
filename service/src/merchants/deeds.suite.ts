import assert from 'node:assert/strict'
import { test } from 'node:test'

import { compose } from '../methods/compose.fixture.ts'
import type { House } from '../methods/compose.fixture.ts'
import type { MerchantRow } from '../store/store.ts'
import type { WithStore } from '../store/suite/opened.fixture.ts'

import type { Merchant } from './book.ts'
import { makeMerchants } from './merchants.ts'

/** What an operator does to merchants, on a store. */
export function merchantDeedsSuite(withStore: WithStore): void {
  const withHouse = (run: (house: House) => Promise<void>) =>
    withStore(async ({ store }) => {
      const house = await compose({ store })
      try {
        await run(house)
      } finally {
        await house.close()
      }
    })

  test(
    'a new merchant calls with the password that was told once, and the row holds nothing of it',
    withHouse(async (house) => {
      const { id, password } = await create(house)
      assert.match(password, /^[0-9A-Za-z&@?#%$_-]{36}$/)
      assert.equal(await kindOf(house, `${id}:${password}`), 'server')
      const row = await rowOf(house, id)
      assert.ok(!JSON.stringify(row).includes(password))
      assert.deepEqual(await audited(house), ['merchant.created created'])
    }),
  )

  test(
    'two passwords are live during a rotation and no third; the one that is retired opens nothing, and the last one stays',
    withHouse(async (house) => {
      const { deeds } = house.merchants
      const { id, password: first } = await create(house)
      assert.match(whyNot(await deeds.retirePassword(id, null)), /the only live password/)
      const rotated = done(await deeds.rotatePassword(id))
      assert.match(whyNot(await deeds.rotatePassword(id)), /Two passwords are live already/)
      for (const password of [first, rotated.password]) assert.equal(await kindOf(house, `${id}:${password}`), 'server')
      assert.match(whyNot(await deeds.retirePassword(id, 7)), /no live password 7/)
      house.clock.advance(1000)
      const { row } = done(await deeds.retirePassword(id, null))
      assert.deepEqual(
        row.credentials.map(({ number, hash, retiredAt }) => [number, hash.length, retiredAt]),
        [
          [2, 32, null],
          [1, 0, house.clock.now()],
        ],
      )
      assert.equal(await kindOf(house, `${id}:${first}`), 'denied')
      assert.equal(await kindOf(house, `${id}:${rotated.password}`), 'server')
      assert.deepEqual((await audited(house)).slice(1), ['merchant.password_rotated credentials', 'merchant.password_retired credentials'])
    }),
  )

  test(
    'the newer password can be the one that is retired',
    withHouse(async (house) => {
      const { id, password } = await create(house)
      const { password: leaked } = done(await house.merchants.deeds.rotatePassword(id))
      done(await house.merchants.deeds.retirePassword(id, 2))
      assert.deepEqual([await kindOf(house, `${id}:${leaked}`), await kindOf(house, `${id}:${password}`)], ['denied', 'server'])
    }),
  )

  test(
    'what is kept of retired passwords is bounded, and a number is never given twice',
    withHouse(async (house) => {
      const { id } = await create(house)
      for (let turn = 0; turn < 12; turn++) {
        done(await house.merchants.deeds.rotatePassword(id))
        done(await house.merchants.deeds.retirePassword(id, null))
      }
      const numbers = (await rowOf(house, id)).credentials.map(({ number }) => number)
      assert.deepEqual(numbers, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4])
    }),
  )

  test(
    'a blocked merchant is told to be so at once here, and in another process within five seconds',
    withHouse(async (house) => {
      const elsewhere = makeMerchants({ ...house, alarm: () => assert.fail('a row was called tampered') })
      const { id } = await create(house)
      const isBlocked = async (merchants: House['merchants']): Promise<boolean> => {
        const told = await merchants.authenticate(id)
        return 'blocked' in told && told.blocked
      }
      assert.deepEqual([await isBlocked(house.merchants), await isBlocked(elsewhere)], [false, false])
      done(await house.merchants.deeds.block(id))
      assert.match(whyNot(await house.merchants.deeds.block(id)), /blocked already/)
      assert.deepEqual([await isBlocked(house.merchants), await isBlocked(elsewhere)], [true, false])
      house.clock.advance(5000)
      assert.equal(await isBlocked(elsewhere), true)
      done(await house.merchants.deeds.unblock(id))
      assert.match(whyNot(await house.merchants.deeds.unblock(id)), /is not blocked/)
      assert.equal(await isBlocked(house.merchants), false)
    }),
  )

  test(
    'a change keeps what it does not name, and the audit tells the names of what it changed',
    withHouse(async (house) => {
      const { deeds } = house.merchants
      const { id } = await create(house)
      done(await deeds.change(id, { settings: { origins: ['https://shop.example'], minAmount: 100 } }))
      const { row, settings } = done(await deeds.change(id, { name: 'Another name', settings: { maxAmount: 500 } }))
      assert.deepEqual(
        [row.name, row.version, settings.origins, settings.minAmount, settings.maxAmount],
        [...['Another name', 3, ['https://shop.example'], 100, 500]],
      )
      assert.match(whyNot(await deeds.change(id, { settings: { minAmount: 501 } })), /would be above the largest/)
      assert.match(whyNot(await deeds.change('0'.repeat(24), { name: 'x', settings: {} })), /no such merchant/)
      assert.deepEqual((await audited(house)).slice(1), ['merchant.changed origins minAmount', 'merchant.changed name maxAmount'])
    }),
  )

  test(
    'changes at the same time are all made, one after the other',
    withHouse(async (house) => {
      const { deeds } = house.merchants
      const { id } = await create(house)
      const wishes = [{ name: 'A name' }, { organization: 'An organization' }, { address: 'An address' }]
      for (const answer of await Promise.all(wishes.map((wish) => deeds.change(id, { ...wish, settings: {} })))) done(answer)
      const { name, organization, address, version } = await rowOf(house, id)
      assert.deepEqual([name, organization, address, version], ['A name', 'An organization', 'An address', 4])
    }),
  )

  test(
    'a row that somebody else wrote is not changed, is listed as tampered, and its alarm is raised',
    withHouse(async (house) => {
      const { id } = await create(house)
      const row = await rowOf(house, id)
      const note = {
        ...{ at: 0, actor: 'thief', action: 'x', merchantId: id, subject: id },
        version: 0,
        mac: row.mac,
        requestId: '',
        outcome: '',
      }
      await house.store.changeMerchant({ ...row, version: 2, settings: '{"origins":["https://evil.example"]}' }, note)
      await assert.rejects(house.merchants.deeds.change(id, { name: 'x', settings: {} }), /wrong MAC/)
      assert.deepEqual(house.alarms, [`row_tampered ${id}`])
      const listed = await house.merchants.deeds.list('', 10)
      assert.deepEqual(
        listed.map(({ isTrue }) => isTrue),
        [false],
      )
    }),
  )

  test(
    'a row that cannot be read is listed by its id, and keeps nobody from the others',
    withStore(async ({ store, raw }) => {
      const house = await compose({ store })
      try {
        const [one, other] = [await create(house), await create(house)]
        await raw(`update merchants set state = 'gone' where id = '${one.id}'`)
        const listed = await house.merchants.deeds.list('', 10)
        const told = listed.map(({ row, isTrue }) => [row.id, 'brokenAt' in row ? row.brokenAt : row.state, isTrue])
        assert.deepEqual(
          told.sort(([a], [b]) => (a === one.id ? -1 : b === one.id ? 1 : 0)),
          [
            [one.id, 'state', false],
            [other.id, 'active', true],
          ],
        )
      } finally {
        await house.close()
      }
    }),
  )
}

async function create(house: House): Promise<{ id: string; password: string }> {
  const { merchant, password } = done(await house.merchants.deeds.create({ name: 'A shop', settings: {} }))
  return { id: merchant.row.id, password }
}

function done<T extends Merchant | { merchant: Merchant; password: string }>(answer: T | string): T {
  if (typeof answer === 'string') assert.fail(answer)
  return answer
}

function whyNot(answer: object | string): string {
  return typeof answer === 'string' ? answer : assert.fail('it was done')
}

async function kindOf(house: House, xAuth: string): Promise<string> {
  return (await house.merchants.authenticate(xAuth)).kind
}

async function rowOf({ store }: House, id: string): Promise<MerchantRow> {
  return (await store.findMerchant(id)) ?? assert.fail('the merchant is there')
}

/** Over all chains, of which PostgreSQL has one a writer; a merchant's versions tell the order. */
async function audited({ store }: House): Promise<string[]> {
  const chains = await store.listAuditChains()
  const entries = (await Promise.all(chains.map(({ chain }) => store.readAudit(chain, 0, 100)))).flat()
  const deeds = entries.filter(({ actor }) => actor === 'operator').sort((a, b) => a.version - b.version)
  return deeds.map(({ action, outcome }) => `${action} ${outcome}`)
}
