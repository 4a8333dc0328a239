import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'

import { createTestApp } from '../../testing/test-app.fixture.ts'
import type { TestApp } from '../../testing/test-app.fixture.ts'
import { listAuditEntries, listAuditHeads } from '../../store/audit.ts'
import { type Credential, findMerchant, type MerchantRow, updateMerchant } from '../../store/merchants.ts'
import type { WithStore } from '../../store/suite/opened.fixture.ts'

import type { Merchant } from './merchant-cache.ts'
import { makeMerchants } from './merchants.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'

/** Merchant management by operators, on a given store. */
export function merchantAdministrationSuite(withStore: WithStore): void {
  const withApp = (run: (app: TestApp) => Promise<void>) =>
    withStore(async ({ store }) => {
      const app = await createTestApp({ after }, { store })
      try {
        await run(app)
      } finally {
        await app.close()
      }
    })

  test(
    'a new merchant authenticates with the issued password, and the row does not contain it',
    withApp(async (app) => {
      const { id, password } = await create(app)
      assert.match(password, /^[0-9A-Za-z&@?#%$_-]{36}$/)
      assert.equal(await kindOf(app, `${id}:${password}`), 'server')
      const row = await rowOf(app, id)
      assert.ok(!JSON.stringify(row).includes(password))
      assert.deepEqual(await audited(app), ['merchant.created created'])
    }),
  )

  test(
    'during a rotation at most two passwords are active; a retired one is refused, and the last one cannot be retired',
    withApp(async (app) => {
      const { administration: operations } = app.merchants
      const { id, password: first } = await create(app)
      assert.match(whyNot(await operations.retirePassword(id, null, operatorActor)), /the only active password/)
      const rotated = expectDone(await operations.rotatePassword(id, { scope: 'full' }, operatorActor))
      assert.match(whyNot(await operations.rotatePassword(id, { scope: 'full' }, operatorActor)), /Two passwords are already active/)
      for (const password of [first, rotated.password]) assert.equal(await kindOf(app, `${id}:${password}`), 'server')
      assert.match(whyNot(await operations.retirePassword(id, 7, operatorActor)), /no active password 7/)
      app.clock.advance(1000)
      const { row } = expectDone(await operations.retirePassword(id, null, operatorActor))
      assert.deepEqual(
        row.credentials.map(({ number, hash, retiredAt }) => [number, hash.length, retiredAt]),
        [
          [2, 32, null],
          [1, 0, app.clock.now()],
        ],
      )
      assert.equal(await kindOf(app, `${id}:${first}`), 'denied')
      assert.equal(await kindOf(app, `${id}:${rotated.password}`), 'server')
      assert.deepEqual((await audited(app)).slice(1), ['merchant.password_rotated credentials', 'merchant.password_retired credentials'])
    }),
  )

  test(
    'the newer password can be the one that is retired',
    withApp(async (app) => {
      const { id, password } = await create(app)
      const { password: leaked } = expectDone(await app.merchants.administration.rotatePassword(id, { scope: 'full' }, operatorActor))
      expectDone(await app.merchants.administration.retirePassword(id, 2, operatorActor))
      assert.deepEqual([await kindOf(app, `${id}:${leaked}`), await kindOf(app, `${id}:${password}`)], ['denied', 'server'])
    }),
  )

  test(
    'a password for cards only leaves room for a rotation of the full ones, and is never the one that has to stay',
    withApp(async (app) => {
      const { administration } = app.merchants
      const { id, password: full } = await create(app)
      const scopeOf = async (password: string): Promise<unknown> => {
        const checked = await app.merchants.authenticate(`${id}:${password}`)
        return 'passwordScope' in checked ? checked.passwordScope : checked.kind
      }
      const cards = [expectDone(await administration.rotatePassword(id, { scope: 'cards' }, operatorActor))]
      cards.push(expectDone(await administration.rotatePassword(id, { scope: 'cards' }, operatorActor)))
      assert.match(whyNot(await administration.rotatePassword(id, { scope: 'cards' }, operatorActor)), /Two passwords are already active/)
      const second = expectDone(await administration.rotatePassword(id, { scope: 'full' }, operatorActor))
      assert.deepEqual(await Promise.all([full, second.password, ...cards.map(({ password }) => password)].map(scopeOf)), [
        'full',
        'full',
        'cards',
        'cards',
      ])
      expectDone(await administration.retirePassword(id, null, operatorActor))
      assert.deepEqual(await Promise.all([full, second.password].map(scopeOf)), ['denied', 'full'])
      for (let rotation = 0; rotation < 12; rotation++) {
        const { row } = expectDone(
          await administration.retirePassword(id, (await rowOf(app, id)).credentials.find(isActiveForCards)?.number ?? 0, operatorActor),
        )
        assert.ok(row.credentials.length <= 12)
        expectDone(await administration.rotatePassword(id, { scope: 'cards' }, operatorActor))
      }
      assert.equal(await scopeOf(second.password), 'full')
      for (let retired = 0; retired < 2; retired++)
        expectDone(
          await administration.retirePassword(id, (await rowOf(app, id)).credentials.find(isActiveForCards)?.number ?? 0, operatorActor),
        )
      assert.match(whyNot(await administration.retirePassword(id, null, operatorActor)), /the only active password/)
    }),
  )

  test(
    'the number of stored retired passwords is bounded, and a password number is never reused',
    withApp(async (app) => {
      const { id } = await create(app)
      for (let rotation = 0; rotation < 12; rotation++) {
        expectDone(await app.merchants.administration.rotatePassword(id, { scope: 'full' }, operatorActor))
        expectDone(await app.merchants.administration.retirePassword(id, null, operatorActor))
      }
      const numbers = (await rowOf(app, id)).credentials.map(({ number }) => number)
      assert.deepEqual(numbers, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4])
    }),
  )

  test(
    'a block takes effect at once in this process and within five seconds in another',
    withApp(async (app) => {
      const elsewhere = makeMerchants({ ...app, alarm: () => assert.fail('a row was called tampered') })
      const { id } = await create(app)
      const isBlocked = async (merchants: TestApp['merchants']): Promise<boolean> => {
        const result = await merchants.authenticate(id)
        return 'blocked' in result && result.blocked
      }
      assert.deepEqual([await isBlocked(app.merchants), await isBlocked(elsewhere)], [false, false])
      expectDone(await app.merchants.administration.block(id, operatorActor))
      assert.match(whyNot(await app.merchants.administration.block(id, operatorActor)), /already blocked/)
      assert.deepEqual([await isBlocked(app.merchants), await isBlocked(elsewhere)], [true, false])
      app.clock.advance(5000)
      assert.equal(await isBlocked(elsewhere), true)
      expectDone(await app.merchants.administration.unblock(id, operatorActor))
      assert.match(whyNot(await app.merchants.administration.unblock(id, operatorActor)), /is not blocked/)
      assert.equal(await isBlocked(app.merchants), false)
    }),
  )

  test(
    'a change keeps the members it does not name, and the audit has the names of the changed ones',
    withApp(async (app) => {
      const { administration: operations } = app.merchants
      const { id } = await create(app)
      expectDone(await operations.change(id, { settings: { origins: ['https://shop.example'], minAmount: 100 } }, operatorActor))
      const { row, settings } = expectDone(
        await operations.change(id, { name: 'Another name', settings: { maxAmount: 500 } }, operatorActor),
      )
      assert.deepEqual(
        [row.name, row.version, settings.origins, settings.minAmount, settings.maxAmount],
        ['Another name', 3, ['https://shop.example'], 100, 500],
      )
      assert.match(whyNot(await operations.change(id, { settings: { minAmount: 501 } }, operatorActor)), /would exceed the maximum/)
      assert.match(whyNot(await operations.change('0'.repeat(24), { name: 'x', settings: {} }, operatorActor)), /no such merchant/)
      assert.deepEqual((await audited(app)).slice(1), ['merchant.changed origins minAmount', 'merchant.changed name maxAmount'])
    }),
  )

  test(
    'changes at the same time are all made, one after the other',
    withApp(async (app) => {
      const { administration: operations } = app.merchants
      const { id } = await create(app)
      const patches = [{ name: 'A name' }, { organization: 'An organization' }, { address: 'An address' }]
      for (const answer of await Promise.all(patches.map((patch) => operations.change(id, { ...patch, settings: {} }, operatorActor))))
        expectDone(answer)
      const { name, organization, address, version } = await rowOf(app, id)
      assert.deepEqual([name, organization, address, version], ['A name', 'An organization', 'An address', 4])
    }),
  )

  test(
    'a tampered row is not changed, is listed as tampered, and raises the alarm',
    withApp(async (app) => {
      const { id } = await create(app)
      const row = await rowOf(app, id)
      const audit = {
        at: 0,
        actor: 'thief',
        action: 'x',
        merchantId: id,
        subject: id,
        version: 0,
        mac: row.mac,
        requestId: '',
        outcome: '',
      }
      await app.store.write(updateMerchant, {
        merchant: { ...row, version: 2, settings: '{"origins":["https://evil.example"]}' },
        audit,
      })
      await assert.rejects(app.merchants.administration.change(id, { name: 'x', settings: {} }, operatorActor), /wrong MAC/)
      assert.deepEqual(app.alarms, [`row_tampered ${id}`])
      const listed = await app.merchants.administration.list('', 10)
      assert.deepEqual(
        listed.map(({ hasValidMac }) => hasValidMac),
        [false],
      )
    }),
  )

  test(
    'an unreadable row is listed by its id and does not affect the others',
    withStore(async ({ store, raw }) => {
      const app = await createTestApp({ after }, { store })
      try {
        const [one, other] = [await create(app), await create(app)]
        await raw(`update merchants set state = 'gone' where id = '${one.id}'`)
        const listed = await app.merchants.administration.list('', 10)
        const views = listed.map(({ row, hasValidMac }) => [row.id, 'brokenAt' in row ? row.brokenAt : row.state, hasValidMac])
        assert.deepEqual(
          views.sort(([a], [b]) => (a === one.id ? -1 : b === one.id ? 1 : 0)),
          [
            [one.id, 'state', false],
            [other.id, 'active', true],
          ],
        )
      } finally {
        await app.close()
      }
    }),
  )
}

async function create(app: TestApp): Promise<{ id: string; password: string }> {
  const { merchant, password } = expectDone(await app.merchants.administration.create({ name: 'A shop', settings: {} }, operatorActor))
  return { id: merchant.row.id, password }
}

function expectDone<T extends Merchant | { merchant: Merchant; password: string }>(answer: T | SettingProblem): T {
  if (answer instanceof SettingProblem) assert.fail(answer.code)
  return answer
}

function whyNot(answer: object): string {
  return answer instanceof SettingProblem ? answer.describe('en') : assert.fail('it was done')
}

async function kindOf(app: TestApp, xAuth: string): Promise<string> {
  return (await app.merchants.authenticate(xAuth)).kind
}

async function rowOf({ store }: TestApp, id: string): Promise<MerchantRow> {
  return (await store.read(findMerchant(id))) ?? assert.fail('the merchant is there')
}

/** Entries of all chains (PostgreSQL has one per writer), ordered by the merchant's version. */
async function audited({ store }: TestApp): Promise<string[]> {
  const chains = await listAuditHeads(store)
  const entries = (await Promise.all(chains.map(({ chain }) => store.read(listAuditEntries(chain, 0, 100))))).flat()
  const operations = entries.filter(({ actor }) => actor === 'operator').sort((a, b) => a.version - b.version)
  return operations.map(({ action, outcome }) => `${action} ${outcome}`)
}

function isActiveForCards({ scope, retiredAt }: Credential): boolean {
  return scope === 'cards' && retiredAt === null
}
