import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { createTestApp, type TestApp, type TestAppOptions } from '../../testing/test-app.fixture.ts'
import type { StoreUnderTest, WithStore } from '../../store/suite/opened.fixture.ts'

import { openIdempotencyClient, type IdempotencyClient, type KeyedRequestOptions, type Reply } from './idempotency-client.fixture.ts'
import { listInbox, setScenarioStep } from '../../store/sandbox.ts'
import { findVerification } from '../../store/verifications.ts'

const sentByNetwork = '8600069195406311'
const sentByService = '8600495473316478'
const breaks = '8600143417770323'
const neverAnswers = '8600134301849596'

/** A test app, and its client, on the store under test. */
export interface IdempotencyTestApp extends StoreUnderTest {
  readonly app: TestApp
  readonly client: IdempotencyClient
  /** Throws the whole composition away, and builds another on the same store, keys and clock. */
  restart(options?: TestAppOptions): Promise<IdempotencyClient>
}

/** Runs a test on a test app whose store is opened by `withStore`. */
export function onTestApp(withStore: WithStore, use: (opening: IdempotencyTestApp) => Promise<void>, options: TestAppOptions = {}) {
  return withStore(async (opened) => {
    const app = await createTestApp({ after }, { ...options, store: opened.store })
    const later: TestApp[] = []
    const restart = async (others: TestAppOptions = {}) => {
      later.push(await createTestApp({ after }, { ...others, store: opened.store, continues: app }))
      return openIdempotencyClient(later.at(-1) ?? app)
    }
    try {
      await use({ ...opened, app, client: await openIdempotencyClient(app), restart })
    } finally {
      for (const next of later) await next.close()
      await app.close()
    }
  })
}

/**
 * Posts a request again while it is refused for the moment. On a machine whose processors are taken by others a read of the store may not end in its 800 ms:
 * its connection is given up then, with all other reads on it, half of the 200 with two connections, and those calls get `store_unavailable`. It is a correct
 * reply, which the tests of duplicates are not about.
 */
async function postUntilAccepted(client: IdempotencyClient, method: string, params: object, options: KeyedRequestOptions): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    const reply = await client.post(method, params, options)
    const isForTheMoment = ['store_unavailable', 'outcome_unknown', 'overloaded'].includes(reply.error?.reason ?? '')
    if (!isForTheMoment || attempt === maxPosts) return reply
    await pause(betweenPostsMs)
  }
}

const maxPosts = 20
/** In real time. As long as the store refuses without trying, after a connection that could not be opened. */
const betweenPostsMs = 300

/** What holds of idempotency keys whatever the store. */
export function idempotencyKeySuite(withStore: WithStore): void {
  test(
    '200 duplicate requests of cards.create at once create one card, and all get its token',
    onTestApp(withStore, async ({ client, raw }) => {
      const duplicates = await Promise.all(
        Array.from({ length: 200 }, (_, id) => postUntilAccepted(client, 'cards.create', cardOf(sentByNetwork), { key: 'k1', id })),
      )
      const tokens = new Set(duplicates.map(({ result }) => result?.card.token))
      assert.equal(tokens.size, 1)
      assert.ok(!tokens.has(undefined))
      assert.deepEqual(
        duplicates.map(({ id }) => id),
        Array.from({ length: 200 }, (_, id) => id),
      )
      assert.equal(Number((await raw('select count(*) as cards from cards'))[0]?.['cards']), 1)
    }),
  )

  test(
    'the same key and request get the same outcome, after a restart and with another id; another key creates another card',
    onTestApp(withStore, async ({ client, app, restart }) => {
      const first = await client.post('cards.create', cardOf(sentByNetwork), { key: 'k1' })
      app.clock.advance(23 * 3_600_000)
      const later = await restart()
      // Members in another order, and blanks around the number, are the same request.
      const { number, expire } = cardOf(sentByNetwork).card
      const again = await later.post('cards.create', { card: { expire, number: ` ${number} ` } }, { key: 'k1', id: 7 })
      assert.deepEqual(again, { ...first, id: 7 })
      const other = await later.post('cards.create', cardOf(sentByNetwork), { key: 'k2' })
      assert.notEqual(other.result?.card.token, first.result?.card.token)
    }),
  )

  test(
    'after 24 hours a key is free, and its row is deleted',
    onTestApp(withStore, async ({ client, app, raw }) => {
      const first = await client.result('cards.create', cardOf(sentByNetwork), { key: 'k1' })
      assert.equal(await client.idempotency.deleteOld(), 0)
      app.clock.advance(24 * 3_600_000)
      const second = await client.result('cards.create', cardOf(sentByService), { key: 'k1' })
      assert.notEqual(second.card.token, first.card.token)
      app.clock.advance(24 * 3_600_000 + 1)
      assert.equal(await client.idempotency.deleteOld(), 1)
      assert.deepEqual(await raw('select method from idempotency'), [])
    }),
  )

  test(
    'a key that belongs to another request is refused, whatever differs: number, expiry, save, method, profile',
    onTestApp(withStore, async ({ client }) => {
      const { card } = await client.result('cards.create', cardOf(sentByNetwork), { key: 'k1' })
      const others: [method: string, params: object, segment?: null][] = [
        ['cards.create', cardOf(sentByService)],
        ['cards.create', { card: { number: sentByNetwork, expire: '0398' } }],
        ['cards.create', { ...cardOf(sentByNetwork), save: true }],
        ['cards.create', { ...cardOf(sentByNetwork), save: false }],
        ['cards.remove', { token: card.token }],
        ['cards.create', cardOf(sentByNetwork), null],
      ]
      for (const [method, params, segment] of others) {
        const error = await client.error(method, params, { key: 'k1', ...(segment === null ? { segment } : {}) })
        assert.deepEqual([error.code, error.reason], [-32600, 'idempotency_mismatch'], JSON.stringify(params))
      }
      assert.equal((await client.result('cards.check', { token: card.token })).card.verify, false)
    }),
  )

  test(
    'keys of two merchants, and of a merchant’s server and its page, are independent',
    onTestApp(withStore, async ({ client }) => {
      const tokens = new Set<string>()
      for (const as of ['server', 'browser', 'other server'] as const) {
        tokens.add((await client.result('cards.create', cardOf(sentByNetwork), { key: 'k1', as })).card.token)
      }
      assert.equal(tokens.size, 3)
    }),
  )

  test(
    'operations that change nothing ignore a key',
    onTestApp(withStore, async ({ client, raw }) => {
      const { card } = await client.result('cards.create', cardOf(sentByNetwork))
      await client.result('cards.check', { token: card.token }, { key: 'k1' })
      await client.result('rpc.discover', {}, { key: 'k1' })
      assert.deepEqual(await raw('select method from idempotency'), [])
    }),
  )

  test(
    'a fault of params is reported before the key is looked up, and stores nothing',
    onTestApp(withStore, async ({ client, raw }) => {
      for (let turn = 0; turn < 2; turn++) {
        assert.equal((await client.error('cards.create', { card: {} }, { key: 'k1' })).reason, 'member_missing')
        assert.equal((await client.error('cards.create', cardOf('8600069195406312'), { key: 'k1' })).reason, 'card_number_check_digit')
        assert.equal(
          (await client.error('cards.create', { card: { number: sentByNetwork, expire: '1399' } }, { key: 'k1' })).reason,
          'expire_month',
        )
        for (const method of ['cards.remove', 'cards.get_verify_code']) {
          assert.equal((await client.error(method, { token: 'no token' }, { key: 'k1' })).reason, 'token_shape')
        }
        assert.equal((await client.error('cards.verify', { token: 'no token', code: '666666' }, { key: 'k1' })).reason, 'token_shape')
        assert.equal((await raw('select method from idempotency')).length, turn)
        // The second time the key has named a good request.
        await client.result('cards.create', cardOf(sentByNetwork), { key: 'k1' })
      }
    }),
  )

  test(
    'an error of the card’s state is stored, and returned again in the language of the retry',
    onTestApp(withStore, async ({ client }) => {
      const { card } = await client.result('cards.create', cardOf(sentByNetwork))
      const ask = ['cards.verify', { token: card.token, code: '666666' }] as const
      const first = await client.error(...ask, { key: 'k1' })
      assert.equal(first.reason, 'code_not_requested')
      await client.result('cards.get_verify_code', { token: card.token })
      const again = await client.post(...ask, { key: 'k1', language: 'ru', id: 2 })
      assert.deepEqual([again.id, again.error?.reason, again.error?.code], [2, first.reason, first.code])
      assert.notEqual(again.error?.message, first.message)
      assert.equal((await client.result(...ask, { key: 'k2' })).card.verify, true)
    }),
  )

  test(
    'duplicate requests of cards.get_verify_code send one message, and wait for its outcome',
    onTestApp(withStore, async ({ client, app }) => {
      const { card } = await client.result('cards.create', cardOf(sentByService))
      const ask = () => client.result('cards.get_verify_code', { token: card.token }, { key: 'k1' })
      const duplicates = await turning(app, Promise.all(Array.from({ length: 50 }, ask)))
      for (const duplicate of duplicates) assert.deepEqual(duplicate, { sent: true, phone: '99890*****66', wait: 60_000 })
      assert.equal((await app.store.read(listInbox(10))).length, 1)
      assert.equal((await client.error('cards.get_verify_code', { token: card.token }, { key: 'k2' })).reason, 'resend_too_soon')
    }),
  )

  for (const [who, pan] of [
    ['our own code', sentByService],
    ['the network’s code', sentByNetwork],
  ] as const) {
    test(
      `a wrong and a right code of ${who} are each returned again, and counted once`,
      onTestApp(withStore, async ({ client, app }) => {
        const { card } = await client.result('cards.create', cardOf(pan))
        await client.result('cards.get_verify_code', { token: card.token })
        const wrong = { token: card.token, code: '123456' }
        for (let turn = 0; turn < 10; turn++) assert.equal((await client.error('cards.verify', wrong, { key: 'k1' })).reason, 'wrong_code')
        assert.equal((await app.store.read(findVerification(cardKey(app, card.token))))?.attempts, 1)
        const right = { token: card.token, code: '666666' }
        const first = await client.result('cards.verify', right, { key: 'k2' })
        assert.equal(first.card.verify, true)
        await client.result('cards.remove', { token: card.token })
        assert.deepEqual(await client.result('cards.verify', right, { key: 'k2' }), first)
      }),
    )
  }

  test(
    'cards.remove with a key succeeds as often as it is sent',
    onTestApp(withStore, async ({ client }) => {
      const { card } = await client.result('cards.create', cardOf(sentByNetwork))
      const duplicates = Array.from({ length: 20 }, () => client.result('cards.remove', { token: card.token }, { key: 'k1' }))
      for (const result of await Promise.all(duplicates)) assert.deepEqual(result, { success: true })
      assert.equal((await client.error('cards.remove', { token: card.token }, { key: 'k2' })).data, 'deleted')
    }),
  )

  test(
    'an internal error is stored under no key, but the network is not called again',
    onTestApp(withStore, async ({ client, raw }) => {
      const { card } = await client.result('cards.create', cardOf(breaks))
      for (let turn = 0; turn < 3; turn++) {
        const error = await client.error('cards.get_verify_code', { token: card.token }, { key: 'k1' })
        assert.deepEqual([error.code, error.reason], [-32400, 'system_error'])
      }
      assert.deepEqual(
        (await raw('select sealed from idempotency')).map(({ sealed }) => sealed),
        [null],
      )
      assert.equal(Number((await raw(`select count(*) as n from audit where action = 'code.requested'`))[0]?.['n']), 1)
    }),
  )

  test(
    'a request whose process was killed after storing the intention is waited for, blocks other requests, and then counts as sent',
    onTestApp(
      withStore,
      async ({ client, app, restart }) => {
        const { card } = await client.result('cards.create', cardOf(neverAnswers))
        const ask = ['cards.get_verify_code', { token: card.token }] as const
        // This request never completes, as after a kill of its process.
        void client.post(...ask, { key: 'k1' })
        await app.clock.untilSleeping(10_000)
        const later = await restart({
          network: (sandbox) => ({ ...sandbox, startVerification: () => assert.fail('the network must not be called again') }),
        })
        assert.equal((await later.error('cards.remove', { token: card.token }, { key: 'k1' })).reason, 'idempotency_mismatch')
        const waiting = later.result(...ask, { key: 'k1' })
        await app.clock.untilSleeping(5)
        // The wall clock alone: the call before stays where it is.
        app.clock.jump(30_000)
        app.clock.advance(5)
        assert.deepEqual(await waiting, { sent: true, phone: '*****', wait: 60_000 })
        assert.deepEqual(await later.result(...ask, { key: 'k1' }), { sent: true, phone: '*****', wait: 60_000 })
      },
      { cards: { networkTimeoutMs: 60_000 }, verification: { networkTimeoutMs: 60_000 } },
    ),
  )

  test(
    'a code whose check by the network was lost is not checked again: the card’s state decides',
    withStore(async (opened) => {
      const judged = Promise.withResolvers<void>()
      const checkCode = () => {
        judged.resolve()
        return new Promise<never>(() => undefined)
      }
      const options: TestAppOptions = { network: (sandbox) => ({ ...sandbox, checkCode }) }
      const lose = async ({ client, app, restart }: IdempotencyTestApp) => {
        const { card } = await client.result('cards.create', cardOf(sentByNetwork))
        await client.result('cards.get_verify_code', { token: card.token })
        const ask = ['cards.verify', { token: card.token, code: '666666' }] as const
        // Nobody ever answers this one: it is what a killed process leaves.
        void client.post(...ask, { key: 'k1' })
        await judged.promise
        app.clock.jump(30_000)
        const later = await restart()
        for (let turn = 0; turn < 2; turn++) assert.equal((await later.error(...ask, { key: 'k1' })).reason, 'network_timeout')
        assert.equal((await app.store.read(findVerification(cardKey(app, card.token))))?.attempts, 1)
      }
      await onTestApp((use) => () => use(opened), lose, options)()
    }),
  )

  test(
    'a stored outcome contains no token, code or card number, in any encoding',
    onTestApp(withStore, async ({ client, app, raw }) => {
      const token = (await client.result('cards.create', cardOf(sentByNetwork), { key: sentByNetwork })).card.token
      await client.result('cards.get_verify_code', { token }, { key: token })
      await client.result('cards.verify', { token, code: '666666' }, { key: '666666' })
      await client.result('cards.remove', { token }, { key: 'k4' })
      const rows = await raw('select * from idempotency')
      assert.equal(rows.length, 4)
      const stored = Buffer.concat(rows.flatMap((row) => Object.values(row).flatMap((value) => [asBytes(value), Buffer.from('\n')])))
      for (const secret of [token, token.slice(25), sentByNetwork, '666666']) {
        for (const spelling of spellings(secret)) assert.ok(!stored.includes(spelling), `${secret} as ${spelling.toString('latin1')}`)
      }
      // The control: values that may be stored are found.
      assert.ok(stored.includes(token.slice(0, 24)))
      assert.ok(stored.includes(cardKey(app, token).merchantId))
    }),
  )

  test(
    'stored outcomes are found again after a rotation of the data key',
    onTestApp(withStore, async ({ client, app }) => {
      const first = await client.result('cards.create', cardOf(sentByNetwork), { key: 'k1' })
      app.clock.advance(1000)
      await app.keyring.rotate('idempotency')
      assert.deepEqual(await client.result('cards.create', cardOf(sentByNetwork), { key: 'k1' }), first)
      app.clock.advance(119_000)
      const second = await client.result('cards.create', cardOf(sentByNetwork), { key: 'k2' })
      app.clock.advance(2000)
      assert.deepEqual(await client.result('cards.create', cardOf(sentByNetwork), { key: 'k1' }), first)
      assert.deepEqual(await client.result('cards.create', cardOf(sentByNetwork), { key: 'k2' }), second)
      assert.equal((await client.error('cards.create', cardOf(sentByService), { key: 'k2' })).reason, 'idempotency_mismatch')
    }),
  )
}

export function cardOf(number: string) {
  return { card: { number, expire: '0399' } }
}

/** Lets the clock run while duplicates wait for each other: a step with every commit, so that no lease ends for a slow disk. */
export async function turning<T>({ clock, store }: TestApp, doing: Promise<T>, stepMs = 10): Promise<T> {
  const progress = { isDone: false }
  const end = () => void (progress.isDone = true)
  doing.then(end, end)
  for (let turn = 0; !progress.isDone; turn++) {
    clock.advance(stepMs)
    await store.write(setScenarioStep, { merchantId: 'turning', scenario: 'turn', step: String(turn) })
  }
  return doing
}

export function cardKey({ merchant }: TestApp, token: string) {
  const { merchantId, bucket } = merchant('spec', '65f0c0ffee0000000000cafe')
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
