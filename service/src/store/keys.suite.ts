import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyStore, WrappedKey } from '@tessera/vault/keyring'
import type { KeyStoreValues } from './keys.ts'
import { bytesOf } from './suite/samples.fixture.ts'

/** Tests that every key store has to pass. Each call of `open` opens the same store again. */
export function keysSuite(
  withKeys: (test: (open: () => Promise<KeyStore & KeyStoreValues>) => Promise<void>) => () => Promise<void>,
): void {
  test(
    'a wrapped key is read back as it was inserted, also after reopening',
    withKeys(async (open) => {
      const keys = await open()
      const wrapped = [
        makeKey('a', { epoch: 1, state: 'decrypt_only' }),
        makeKey('b', { epoch: 2 }),
        makeKey('c', { purpose: 'otp', owner: '' }),
      ]
      for (const key of wrapped) assert.equal(await keys.insert(key), true)
      await keys.close()
      const again = await open()
      assert.deepEqual(await again.list(), wrapped)
      await again.close()
    }),
  )

  test(
    'values are listed by the beginning of their names, the newest of each, also after reopening',
    withKeys(async (open) => {
      const keys = await open()
      const [old, value, other] = [bytesOf('old', 3), bytesOf('value', 200), bytesOf('other', 1)]
      await keys.saveValue('sets.b', old)
      await keys.saveValue('sets.a', other)
      await keys.saveValue('sets.b', value)
      for (const name of ['sets', 'setsa', 'sett.a', 'nodes.a']) await keys.saveValue(name, other)
      await keys.close()
      const again = await open()
      const listed = await again.listValues('sets.')
      assert.deepEqual(
        listed.map(({ name, value: stored }) => [name, Buffer.from(stored)]),
        [
          ['sets.a', Buffer.from(other)],
          ['sets.b', Buffer.from(value)],
        ],
      )
      assert.deepEqual(await again.listValues('none.'), [])
      await again.close()
    }),
  )

  test(
    'of several keys with the same purpose, owner and epoch only the first is stored',
    withKeys(async (open) => {
      const stores = await Promise.all([open(), open(), open()])
      const inserted = await Promise.all(stores.map((keys, n) => keys.insert(makeKey(`key ${n}`))))
      assert.deepEqual(inserted.filter(Boolean).length, 1)
      const [stored] = await stores[0].list()
      assert.equal(stored?.keyId, `key ${inserted.indexOf(true)}`)
      for (const keys of stores) await keys.close()
    }),
  )

  test(
    'a key is wrapped again only if it is as it was read, and a destroyed one never',
    withKeys(async (open) => {
      const keys = await open()
      const key = makeKey('a')
      await keys.insert(key)
      const after = { kekId: 'next', wrapped: bytesOf('wrapped again', 60) }
      assert.equal(await keys.replaceWrapped({ ...key, wrapped: bytesOf('another', 60) }, after), false)
      assert.deepEqual(await keys.list(), [key])
      assert.equal(await keys.replaceWrapped(key, after), true)
      assert.deepEqual(await keys.list(), [{ ...key, ...after }])
      assert.equal(await keys.replaceWrapped(key, after), false)
      await keys.setState('a', 'destroyed')
      assert.equal(await keys.replaceWrapped({ ...key, wrapped: new Uint8Array(0) }, after), false)
      await keys.close()
    }),
  )

  test(
    'a destroyed key has no wrapped bytes and stays destroyed',
    withKeys(async (open) => {
      const keys = await open()
      const key = makeKey('a')
      await keys.insert(key)
      await keys.setState('a', 'decrypt_only')
      assert.deepEqual(await keys.list(), [{ ...key, state: 'decrypt_only' }])
      await keys.setState('a', 'destroyed')
      await keys.setState('a', 'active')
      assert.deepEqual(await keys.list(), [{ ...key, state: 'destroyed', wrapped: new Uint8Array(0) }])
      await keys.close()
    }),
  )
}

export function makeKey(keyId: string, over: Partial<WrappedKey> = {}): WrappedKey {
  return {
    keyId,
    purpose: 'card',
    owner: 'm'.repeat(24),
    epoch: 1,
    state: 'active',
    kekId: 'dev',
    wrapped: bytesOf(`wrapped ${keyId}`, 60),
    checkValue: bytesOf('check', 8),
    createdAt: 1_700_000_000_000,
    ...over,
  }
}
