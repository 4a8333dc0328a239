import assert from 'node:assert/strict'
import { test } from 'node:test'

import { compose, type House, type HouseOptions } from '../methods/compose.fixture.ts'
import type { Opened, WithStore } from '../store/suite/opened.fixture.ts'

import { openKeyedDoor, type KeyedDoor } from './door.fixture.ts'

const networkSends = '8600069195406311'
const weSend = '8600495473316478'
const breaks = '8600143417770323'
const neverAnswers = '8600134301849596'

/** A house, and its door, on the store under test. */
export interface Opening extends Opened {
  readonly house: House
  readonly door: KeyedDoor
  /** Throws the whole composition away, and builds another on the same store, keys and clock. */
  restart(options?: HouseOptions): Promise<KeyedDoor>
}

/** Runs a test on a house whose store is opened by `withStore`. */
export function inHouse(withStore: WithStore, use: (opening: Opening) => Promise<void>, options: HouseOptions = {}) {
  return withStore(async (opened) => {
    const house = await compose({ ...options, store: opened.store })
    const later: House[] = []
    const restart = async (others: HouseOptions = {}) => {
      later.push(await compose({ ...others, store: opened.store, after: house }))
      return openKeyedDoor(later.at(-1) ?? house)
    }
    try {
      await use({ ...opened, house, door: await openKeyedDoor(house), restart })
    } finally {
      for (const next of later) await next.close()
      await house.close()
    }
  })
}

/** What holds of idempotency keys whatever the store. */
export function idempotencyKeySuite(withStore: WithStore): void {
  test(
    '200 twins of cards.create at once make one card, and all are told its token',
    inHouse(withStore, async ({ door, raw }) => {
      const twins = await Promise.all(
        Array.from({ length: 200 }, (_, id) => door.post('cards.create', cardOf(networkSends), { key: 'k1', id })),
      )
      const tokens = new Set(twins.map(({ result }) => result?.card.token))
      assert.equal(tokens.size, 1)
      assert.ok(!tokens.has(undefined))
      assert.deepEqual(
        twins.map(({ id }) => id),
        Array.from({ length: 200 }, (_, id) => id),
      )
      assert.equal(Number((await raw('select count(*) as cards from cards'))[0]?.['cards']), 1)
    }),
  )

  test(
    'the same key and request give the same outcome, after a restart and to another id; another key makes another card',
    inHouse(withStore, async ({ door, house, restart }) => {
      const first = await door.post('cards.create', cardOf(networkSends), { key: 'k1' })
      house.clock.advance(23 * 3_600_000)
      const later = await restart()
      // Members in another order, and blanks around the number, are the same request.
      const { number, expire } = cardOf(networkSends).card
      const again = await later.post('cards.create', { card: { expire, number: ` ${number} ` } }, { key: 'k1', id: 7 })
      assert.deepEqual(again, { ...first, id: 7 })
      const other = await later.post('cards.create', cardOf(networkSends), { key: 'k2' })
      assert.notEqual(other.result?.card.token, first.result?.card.token)
    }),
  )

  test(
    'after 24 hours a key is free, and its row is dropped',
    inHouse(withStore, async ({ door, house, raw }) => {
      const first = await door.result('cards.create', cardOf(networkSends), { key: 'k1' })
      assert.equal(await door.idempotency.dropPast(), 0)
      house.clock.advance(24 * 3_600_000)
      const second = await door.result('cards.create', cardOf(weSend), { key: 'k1' })
      assert.notEqual(second.card.token, first.card.token)
      house.clock.advance(24 * 3_600_000 + 1)
      assert.equal(await door.idempotency.dropPast(), 1)
      assert.deepEqual(await raw('select method from idempotency'), [])
    }),
  )

  test(
    'a key that named another request is refused, whatever differs: number, expiry, save, method, profile',
    inHouse(withStore, async ({ door }) => {
      const { card } = await door.result('cards.create', cardOf(networkSends), { key: 'k1' })
      const others: [method: string, params: object, segment?: null][] = [
        ['cards.create', cardOf(weSend)],
        ['cards.create', { card: { number: networkSends, expire: '0398' } }],
        ['cards.create', { ...cardOf(networkSends), save: true }],
        ['cards.create', { ...cardOf(networkSends), save: false }],
        ['cards.remove', { token: card.token }],
        ['cards.create', cardOf(networkSends), null],
      ]
      for (const [method, params, segment] of others) {
        const error = await door.error(method, params, { key: 'k1', ...(segment === null ? { segment } : {}) })
        assert.deepEqual([error.code, error.reason], [-32600, 'idempotency_mismatch'], JSON.stringify(params))
      }
      assert.equal((await door.result('cards.check', { token: card.token })).card.verify, false)
    }),
  )

  test(
    'keys of two merchants, and of a merchant’s server and its page, never meet',
    inHouse(withStore, async ({ door }) => {
      const tokens = new Set<string>()
      for (const as of ['server', 'browser', 'other server'] as const) {
        tokens.add((await door.result('cards.create', cardOf(networkSends), { key: 'k1', as })).card.token)
      }
      assert.equal(tokens.size, 3)
    }),
  )

  test(
    'methods that change nothing take no notice of a key',
    inHouse(withStore, async ({ door, raw }) => {
      const { card } = await door.result('cards.create', cardOf(networkSends))
      await door.result('cards.check', { token: card.token }, { key: 'k1' })
      await door.result('rpc.discover', {}, { key: 'k1' })
      assert.deepEqual(await raw('select method from idempotency'), [])
    }),
  )

  test(
    'what is wrong with params is told before the key is looked at, and keeps nothing',
    inHouse(withStore, async ({ door, raw }) => {
      for (let turn = 0; turn < 2; turn++) {
        assert.equal((await door.error('cards.create', { card: {} }, { key: 'k1' })).reason, 'member_missing')
        assert.equal((await door.error('cards.create', cardOf('8600069195406312'), { key: 'k1' })).reason, 'card_number_check_digit')
        assert.equal(
          (await door.error('cards.create', { card: { number: networkSends, expire: '1399' } }, { key: 'k1' })).reason,
          'expire_month',
        )
        for (const method of ['cards.remove', 'cards.get_verify_code']) {
          assert.equal((await door.error(method, { token: 'no token' }, { key: 'k1' })).reason, 'token_shape')
        }
        assert.equal((await door.error('cards.verify', { token: 'no token', code: '666666' }, { key: 'k1' })).reason, 'token_shape')
        assert.equal((await raw('select method from idempotency')).length, turn)
        // The second time the key has named a good request.
        await door.result('cards.create', cardOf(networkSends), { key: 'k1' })
      }
    }),
  )

  test(
    'an error of the card’s state is kept, and told again in the language of whoever asks again',
    inHouse(withStore, async ({ door }) => {
      const { card } = await door.result('cards.create', cardOf(networkSends))
      const ask = ['cards.verify', { token: card.token, code: '666666' }] as const
      const first = await door.error(...ask, { key: 'k1' })
      assert.equal(first.reason, 'code_not_requested')
      await door.result('cards.get_verify_code', { token: card.token })
      const again = await door.post(...ask, { key: 'k1', language: 'ru', id: 2 })
      assert.deepEqual([again.id, again.error?.reason, again.error?.code], [2, first.reason, first.code])
      assert.notEqual(again.error?.message, first.message)
      assert.equal((await door.result(...ask, { key: 'k2' })).card.verify, true)
    }),
  )

  test(
    'twins of cards.get_verify_code send one message, and wait for its outcome',
    inHouse(withStore, async ({ door, house }) => {
      const { card } = await door.result('cards.create', cardOf(weSend))
      const ask = () => door.result('cards.get_verify_code', { token: card.token }, { key: 'k1' })
      const twins = await turning(house, Promise.all(Array.from({ length: 50 }, ask)))
      for (const twin of twins) assert.deepEqual(twin, { sent: true, phone: '99890*****66', wait: 60_000 })
      assert.equal((await house.store.listInbox(10)).length, 1)
      assert.equal((await door.error('cards.get_verify_code', { token: card.token }, { key: 'k2' })).reason, 'resend_too_soon')
    }),
  )

  for (const [who, pan] of [
    ['our own code', weSend],
    ['the network’s code', networkSends],
  ] as const) {
    test(
      `a wrong and a right answer to ${who} are each told again, and counted once`,
      inHouse(withStore, async ({ door, house }) => {
        const { card } = await door.result('cards.create', cardOf(pan))
        await door.result('cards.get_verify_code', { token: card.token })
        const wrong = { token: card.token, code: '123456' }
        for (let turn = 0; turn < 10; turn++) assert.equal((await door.error('cards.verify', wrong, { key: 'k1' })).reason, 'wrong_code')
        assert.equal((await house.store.findVerification(cardKey(house, card.token)))?.tries, 1)
        const right = { token: card.token, code: '666666' }
        const first = await door.result('cards.verify', right, { key: 'k2' })
        assert.equal(first.card.verify, true)
        await door.result('cards.remove', { token: card.token })
        assert.deepEqual(await door.result('cards.verify', right, { key: 'k2' }), first)
      }),
    )
  }

  test(
    'cards.remove under a key succeeds as often as it is sent',
    inHouse(withStore, async ({ door }) => {
      const { card } = await door.result('cards.create', cardOf(networkSends))
      const twins = Array.from({ length: 20 }, () => door.result('cards.remove', { token: card.token }, { key: 'k1' }))
      for (const result of await Promise.all(twins)) assert.deepEqual(result, { success: true })
      assert.equal((await door.error('cards.remove', { token: card.token }, { key: 'k2' })).data, 'deleted')
    }),
  )

  test(
    'a fault of ours is kept under no key, but what was asked of the network is not asked again',
    inHouse(withStore, async ({ door, raw }) => {
      const { card } = await door.result('cards.create', cardOf(breaks))
      for (let turn = 0; turn < 3; turn++) {
        const error = await door.error('cards.get_verify_code', { token: card.token }, { key: 'k1' })
        assert.deepEqual([error.code, error.reason], [-32400, 'system_error'])
      }
      assert.deepEqual(
        (await raw('select sealed from idempotency')).map(({ sealed }) => sealed),
        [null],
      )
      assert.equal(Number((await raw(`select count(*) as n from audit where action = 'code.asked'`))[0]?.['n']), 1)
    }),
  )

  test(
    'a request that dies after its intention is waited for, mismatches at once, and then counts as sent',
    inHouse(
      withStore,
      async ({ door, house, restart }) => {
        const { card } = await door.result('cards.create', cardOf(neverAnswers))
        const ask = ['cards.get_verify_code', { token: card.token }] as const
        // Nobody ever wakes this one: it is what a killed process leaves.
        void door.post(...ask, { key: 'k1' })
        await house.clock.untilSleeping(10_000)
        const later = await restart({
          network: (sandbox) => ({ ...sandbox, startVerification: () => assert.fail('the network is not asked again') }),
        })
        assert.equal((await later.error('cards.remove', { token: card.token }, { key: 'k1' })).reason, 'idempotency_mismatch')
        const waiting = later.result(...ask, { key: 'k1' })
        await house.clock.untilSleeping(5)
        // The wall clock alone: the call before stays where it is.
        house.clock.jump(30_000)
        house.clock.advance(5)
        assert.deepEqual(await waiting, { sent: true, phone: '*****', wait: 60_000 })
        assert.deepEqual(await later.result(...ask, { key: 'k1' }), { sent: true, phone: '*****', wait: 60_000 })
      },
      { cards: { networkTimeoutMs: 60_000 }, verification: { networkTimeoutMs: 60_000 } },
    ),
  )

  test(
    'a code whose judgement by the network was lost is not tried again: the card tells',
    withStore(async (opened) => {
      const judged = Promise.withResolvers<void>()
      const finishVerification = () => {
        judged.resolve()
        return new Promise<never>(() => undefined)
      }
      const options: HouseOptions = { network: (sandbox) => ({ ...sandbox, finishVerification }) }
      const lose = async ({ door, house, restart }: Opening) => {
        const { card } = await door.result('cards.create', cardOf(networkSends))
        await door.result('cards.get_verify_code', { token: card.token })
        const ask = ['cards.verify', { token: card.token, code: '666666' }] as const
        // Nobody ever answers this one: it is what a killed process leaves.
        void door.post(...ask, { key: 'k1' })
        await judged.promise
        house.clock.jump(30_000)
        const later = await restart()
        for (let turn = 0; turn < 2; turn++) assert.equal((await later.error(...ask, { key: 'k1' })).reason, 'network_timeout')
        assert.equal((await house.store.findVerification(cardKey(house, card.token)))?.tries, 1)
      }
      await inHouse((use) => () => use(opened), lose, options)()
    }),
  )

  test(
    'what is kept of a call holds no token, code or number, in any spelling',
    inHouse(withStore, async ({ door, house, raw }) => {
      const token = (await door.result('cards.create', cardOf(networkSends), { key: networkSends })).card.token
      await door.result('cards.get_verify_code', { token }, { key: token })
      await door.result('cards.verify', { token, code: '666666' }, { key: '666666' })
      await door.result('cards.remove', { token }, { key: 'k4' })
      const rows = await raw('select * from idempotency')
      assert.equal(rows.length, 4)
      const told = Buffer.concat(rows.flatMap((row) => Object.values(row).flatMap((value) => [asBytes(value), Buffer.from('\n')])))
      for (const secret of [token, token.slice(25), networkSends, '666666']) {
        for (const spelling of spellings(secret)) assert.ok(!told.includes(spelling), `${secret} as ${spelling.toString('latin1')}`)
      }
      // The control: what may be there, is found.
      assert.ok(told.includes(token.slice(0, 24)))
      assert.ok(told.includes(cardKey(house, token).merchantId))
    }),
  )

  test(
    'outcomes outlive the data key that they were kept under: a key is met again after a rotation',
    inHouse(withStore, async ({ door, house }) => {
      const first = await door.result('cards.create', cardOf(networkSends), { key: 'k1' })
      house.clock.advance(1000)
      await house.keyring.rotate('idempotency')
      assert.deepEqual(await door.result('cards.create', cardOf(networkSends), { key: 'k1' }), first)
      house.clock.advance(119_000)
      const second = await door.result('cards.create', cardOf(networkSends), { key: 'k2' })
      house.clock.advance(2000)
      assert.deepEqual(await door.result('cards.create', cardOf(networkSends), { key: 'k1' }), first)
      assert.deepEqual(await door.result('cards.create', cardOf(networkSends), { key: 'k2' }), second)
      assert.equal((await door.error('cards.create', cardOf(weSend), { key: 'k2' })).reason, 'idempotency_mismatch')
    }),
  )
}

export function cardOf(number: string) {
  return { card: { number, expire: '0399' } }
}

/** Lets the clock run while twins wait for each other: a step with every commit, so that no lease ends for a slow disk. */
export async function turning<T>({ clock, store }: House, doing: Promise<T>, stepMs = 10): Promise<T> {
  const progress = { isDone: false }
  const end = () => void (progress.isDone = true)
  doing.then(end, end)
  for (let turn = 0; !progress.isDone; turn++) {
    clock.advance(stepMs)
    await store.setScenarioStep('turning', 'turn', String(turn))
  }
  return doing
}

export function cardKey({ caller }: House, token: string) {
  const { merchantId, bucket } = caller('spec', '65f0c0ffee0000000000cafe')
  return { merchantId, bucket, cardId: token.slice(0, 24) }
}

export function asBytes(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value))
}

/** A secret as it is, in hex, and in base64 wherever it begins in a group of three. */
export function spellings(secret: string): Buffer[] {
  const bytes = Buffer.from(secret)
  const aligned = [0, 1, 2].map((skip) => bytes.subarray(skip, skip + Math.floor((bytes.length - skip) / 3) * 3))
  return [
    bytes,
    ...[bytes.toString('hex'), bytes.toString('hex').toUpperCase()].map((text) => Buffer.from(text)),
    ...aligned.filter(({ length }) => length >= 6).map((part) => Buffer.from(part.toString('base64'))),
    Buffer.from(secret, 'utf16le'),
  ]
}
