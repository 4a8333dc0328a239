import assert from 'node:assert/strict'
import { test } from 'node:test'

import { openKeyring, type Keyring, type KeyStore, type WrappedKey } from '@tessera/vault/keyring'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { listAuditOfSubject } from '../../store/audit.ts'
import { outboxTable } from '../../store/outbox.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import type { StoreUnderTest, WithStore } from '../../store/suite/opened.fixture.ts'
import { listRowsToSign, signRows } from '../../store/unsigned-rows.ts'
import { makeHandClock, type HandClock } from '../../testing/clock.fixture.ts'
import { makeTestKek } from '../../testing/kek.fixture.ts'
import { replaceWrite, replaceInStore } from '../../testing/store.fixture.ts'

import { pageSize, signRowsOnce, type RowSigningDependencies } from './sign-rows.ts'

/** Signing in pages, cut off and continued, and by several processes. */
export function rowSigningPagesSuite(withStore: WithStore, emptyBytes: string): void {
  const insertUnsigned = (opened: StoreUnderTest, count: number, prefix = 'e') => insertUnsignedEvents(opened, emptyBytes, count, prefix)

  test(
    'rows of several pages are signed, also after a cut at any transaction of them, and audited once',
    withStore(async (opened) => {
      const { store } = opened
      const keys = makeKeyStore()
      await insertUnsigned(opened, rowCount)
      for (const writes of [0, 3, 5]) {
        await assert.rejects(signRowsOnce({ ...(await startProcess(keys)), store: failAfter(store, writes) }), StoreUnavailable)
        assert.deepEqual(await signedActions(store), [])
      }
      assert.ok((await countUnsigned(opened)) < rowCount)
      const start = { ...(await startProcess(keys)), store }
      const left = await countUnsigned(opened)
      assert.equal(await signRowsOnce(start), left)
      assert.equal(await countUnsigned(opened), 0)
      assert.equal(await countValid(store, start.keyring), rowCount)
      assert.equal(await signRowsOnce(start), null)
      assert.deepEqual(await signedActions(store), ['rows.signed'])
    }),
  )

  test(
    'a database that is unreachable for a moment is waited for, and the signing continues where it was',
    withStore(async (opened) => {
      await insertUnsigned(opened, rowCount)
      const start = await startProcess(makeKeyStore())
      let retries = 0
      const retry: RowSigningDependencies['retry'] = async (step) => {
        for (;;) {
          try {
            return await step()
          } catch (err) {
            if (!(err instanceof StoreUnavailable) || ++retries > 5) throw err
          }
        }
      }
      await signRowsOnce({ ...start, store: failAfter(opened.store, 5, 2), retry })
      assert.ok(retries > 0)
      assert.equal(await countValid(opened.store, start.keyring), rowCount)
    }),
  )

  test(
    'of two processes whose keyrings were opened before the mark, one signs and both start',
    withStore(async (opened) => {
      const { store } = opened
      const keys = makeKeyStore()
      await insertUnsigned(opened, rowCount)
      const [first, second] = [await startProcess(keys), await startProcess(keys)]
      assert.equal(await signRowsOnce({ ...first, store }), rowCount)
      await insertUnsigned(opened, 1, 'after')
      assert.equal(await signRowsOnce({ ...second, store }), null)
      assert.equal(await countUnsigned(opened), 1, 'nothing is signed after the mark')
      assert.deepEqual(await signedActions(store), ['rows.signed'])
    }),
  )

  test(
    'a row that was changed after it was read gets no MAC of its earlier content, and is signed as it is now',
    withStore(async (opened) => {
      const { store, raw } = opened
      await insertUnsigned(opened, 3)
      const start = await startProcess(makeKeyStore())
      let isFirst = true
      const racing = replaceInStore(
        store,
        replaceWrite(signRows, async (_input, original) => {
          if (isFirst) await raw(`update outbox set body = '{"changed":true}' where event_id = 'e000001' returning 1 as one`)
          isFirst = false
          return original()
        }),
      )
      assert.equal(await signRowsOnce({ ...start, store: racing }), 3)
      assert.equal(await countValid(store, start.keyring), 3)
    }),
  )
}

export interface SigningProcess extends Omit<RowSigningDependencies, 'store'> {
  readonly clock: HandClock
  readonly events: string[]
}

/** A process that opens its keyring now. */
export async function startProcess(keys: KeyStore): Promise<SigningProcess> {
  const clock = makeHandClock()
  const events: string[] = []
  return {
    keyring: await openKeyring({ kek: testKek, keys, environment: 'test', now: () => clock.now() }),
    environment: 'test',
    clock,
    log: { info: (event) => events.push(event) },
    events,
    stopping: new AbortController().signal,
    retry: (step) => step(),
  }
}

export function makeKeyStore(): KeyStore {
  const keys = new Map<string, WrappedKey>()
  return {
    list: async () => [...keys.values()],
    insert: async (key) => {
      const isTaken = [...keys.values()].some(
        (each) => each.purpose === key.purpose && each.owner === key.owner && each.epoch === key.epoch,
      )
      if (!isTaken) keys.set(key.keyId, key)
      return !isTaken
    },
    setState: async (keyId, state) => {
      const key = keys.get(keyId)
      if (key !== undefined) keys.set(keyId, { ...key, state })
    },
    replaceWrapped: async ({ keyId }, after) => {
      const key = keys.get(keyId)
      if (key !== undefined) keys.set(keyId, { ...key, ...after })
      return key !== undefined
    },
    close: async () => undefined,
  }
}

/** Inserts events as they were before migration 20. */
export async function insertUnsignedEvents({ raw }: StoreUnderTest, emptyBytes: string, count: number, prefix = 'e'): Promise<void> {
  for (let from = 0; from < count; from += 500) {
    const rows = Array.from({ length: Math.min(500, count - from) }, (_, at) => {
      const number = String(from + at).padStart(6, '0')
      return `(${(from + at) % 4}, '${prefix}${number}', 'm', 'receipt.paid', '${prefix}${number}', ${from + at}, '{}', ${emptyBytes}, 1)`
    })
    await raw(
      `insert into outbox (bucket, event_id, merchant_id, type, object_id, at, body, mac, position) values ${rows.join(', ')} returning 1 as one`,
    )
  }
}

export async function countUnsigned({ raw }: StoreUnderTest): Promise<number> {
  const [row] = await raw('select count(*) as unsigned from outbox where length(mac) = 0')
  return Number(row?.['unsigned'])
}

async function countValid(store: Store, keyring: Keyring): Promise<number> {
  const mac = makeRowAuthenticator(keyring, 'test', outboxTable)
  const rows = await store.read({ ...listRowsToSign(outboxTable, null, 100_000), map: (found) => found.map(outboxTable.fromRow) })
  let valid = 0
  for (const row of rows) if (await mac.hasValidMac(row)) valid++
  return valid
}

async function signedActions(store: Store): Promise<string[]> {
  return (await store.read(listAuditOfSubject('', 'rows', 9))).map(({ action }) => action)
}

/** A store that cannot be reached for `count` signing transactions after the first `writes`. */
function failAfter(store: Store, writes: number, count = Infinity): Store {
  let number = 0
  return replaceInStore(
    store,
    replaceWrite(signRows, (_input, original) => {
      number += 1
      return number > writes && number <= writes + count ? Promise.reject(new StoreUnavailable('cut off')) : original()
    }),
  )
}

const testKek = makeTestKek()
const rowCount = 2 * pageSize + 37
