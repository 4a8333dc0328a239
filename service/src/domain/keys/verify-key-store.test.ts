import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, test } from 'node:test'

import { openKeyring, UnknownKeyError, type Dek, type Keyring, type KeyStatus } from '@tessera/vault/keyring'
import { makeKnownAnswer } from '@tessera/vault/known-answer'

import { listKnownAnswers } from '../../store/known-answers.ts'
import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import type { WithStore } from '../../store/suite/opened.fixture.ts'
import { makeTestKek } from '../../testing/kek.fixture.ts'

import { KeyStoreMismatch } from './key-store-mismatch.ts'
import { makeKnownAnswers } from './known-answers.ts'
import { makeKeyStore } from './sign-rows-pages.suite.ts'
import { verifyKeyStore } from './verify-key-store.ts'

describe('known answers in the embedded store', () => knownAnswersSuite(withSqlite))
describe('known answers in PostgreSQL', () => knownAnswersSuite(withPostgres))

function knownAnswersSuite(withStore: WithStore): void {
  test(
    'each key has an answer but the daily ones, which are destroyed, and a destroyed key loses it',
    withStore(async ({ store }) => {
      const { keyring, clock } = await open()
      await keyring.active('row_mac')
      const card = await keyring.active('card', 'a merchant')
      await keyring.active('otp')
      const known = makeKnownAnswers({ store, keyring, environment })
      const purposes = async () => (await store.read(listKnownAnswers('', 9))).map(({ purpose }) => purpose).sort()
      await known.update()
      assert.deepEqual(await purposes(), ['card', 'row_mac'])
      await keyring.rotate('card', 'a merchant')
      await known.update()
      assert.deepEqual(await purposes(), ['card', 'card', 'row_mac'])
      clock.now += 200_000
      await keyring.destroy(card.keyId)
      await known.update()
      assert.deepEqual(await purposes(), ['card', 'row_mac'])
      assert.deepEqual(await verifyKeyStore({ store, keyring, environment, isCurrent: true }), { answers: 2, rows: 0 })
    }),
  )

  test(
    'a key with the same id and other bytes, and a key of the other environment, do not have the answer',
    withStore(async ({ store }) => {
      const { keyring } = await open()
      const { keyId } = await keyring.active('row_mac')
      await makeKnownAnswers({ store, keyring, environment }).update()
      const input = { store, environment, isCurrent: true }
      assert.equal((await verifyKeyStore({ ...input, keyring })).answers, 1, 'control')
      const forged = replaceKey(keyring, keyId)
      await assert.rejects(verifyKeyStore({ ...input, keyring: forged }), KeyStoreMismatch)
      await assert.rejects(makeKnownAnswers({ ...input, keyring: forged }).verifyServiceKeys(), new RegExp(`the row_mac key ${keyId}`))
      await assert.rejects(verifyKeyStore({ ...input, keyring, environment: 'production' }), KeyStoreMismatch)
    }),
  )
}

test('a stop ends the verification of however many answers', async () => {
  const { keyring } = await open()
  const { keyId, purpose, owner } = keyring.list()[0] ?? (await addKey(keyring))
  const row = { keyId, purpose, owner, answer: makeKnownAnswer(await keyring.byId(keyId), environment) }
  // A store that never runs out of answers, and replies at once, as the embedded one does.
  const rows = Array.from({ length: 1000 }, () => row)
  const store = { read: <T>(): Promise<T> => Promise.resolve(rows as T) }
  const stopping = new AbortController()
  setImmediate(() => stopping.abort(new Error('stopped')))
  await assert.rejects(verifyKeyStore({ store, keyring, environment, isCurrent: true, stopping: stopping.signal }), /stopped/)
})

const environment = 'test'

async function addKey(keyring: Keyring): Promise<KeyStatus> {
  await keyring.active('row_mac')
  return keyring.list()[0] ?? assert.fail('no key was created')
}

async function open() {
  const clock = { now: Date.UTC(2026, 10, 21) }
  const keyring = await openKeyring({ kek: makeTestKek(), keys: makeKeyStore(), environment, now: () => clock.now })
  return { keyring, clock }
}

/** The keyring with other bytes under the id of one key. */
function replaceKey(keyring: Keyring, keyId: string): Keyring {
  const key = createSecretKey(Buffer.alloc(32, 7))
  const replaced = async (asked: string): Promise<Dek> => {
    const dek = await keyring.byId(asked)
    return asked === keyId ? { ...dek, key } : dek
  }
  const list = (): KeyStatus[] => keyring.list()
  const refuse = (): Promise<never> => Promise.reject(new UnknownKeyError('not used here'))
  return {
    byId: replaced,
    previousOf: (dek) => keyring.previousOf(dek),
    list,
    active: refuse,
    rotate: refuse,
    destroy: refuse,
    destroyExpired: refuse,
    renewExpiring: refuse,
    wrappingKekId: () => keyring.wrappingKekId(),
    rewrap: refuse,
    inspect: refuse,
    read: refuse,
  }
}
