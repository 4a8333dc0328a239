import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  deleteOldFormCards,
  deleteOldFormSessions,
  findFormSession,
  type FormCardRow,
  type FormSessionKey,
  type FormSessionRow,
  insertFormCard,
  insertFormSession,
  listFormCards,
  updateFormSession,
} from '../form-sessions.ts'
import { deleteInPages } from '../store.ts'
import type { WithStore } from './opened.fixture.ts'
import { bytesOf, makeCard, makeAuditEntry, T0 } from './samples.fixture.ts'

export function formsSuite(withStore: WithStore): void {
  const audit = makeAuditEntry(makeCard(0), 'form_session.created')
  const { bucket, merchantId } = makeCard(0)
  const session: FormSessionRow = {
    bucket,
    merchantId,
    sessionId: 'a'.repeat(24),
    hash: bytesOf('secret'),
    origin: 'https://shop.example',
    save: 'ask',
    customer: 'c-1\0',
    locale: 'uz',
    attemptsLeft: 3,
    createdAt: T0,
    endsAt: T0 + 1000,
    returnTo: null,
    cancelledAt: 0,
    version: 1,
    amountTiyin: 0,
    orderText: '',
    cards: '',
    picked: '',
    removals: '',
    mac: bytesOf('mac'),
  }
  const shown = { amountTiyin: 10_000_000_000_000, orderText: 'Заказ № 197', cards: `${'1'.repeat(24)} ${'2'.repeat(24)}` }
  const key: FormSessionKey = { bucket, merchantId, sessionId: session.sessionId, hash: session.hash }

  test(
    'a session is read as it was inserted, by its merchant with the right secret only',
    withStore(async ({ store }) => {
      const hosted: FormSessionRow = { ...session, returnTo: 'https://shop.example/back?order=1', ...shown }
      const bare: FormSessionRow = { ...session, sessionId: 'c'.repeat(24), customer: null, locale: null, save: 'off' }
      for (const row of [hosted, bare]) await store.write(insertFormSession, { session: row, audit })
      assert.deepEqual(await store.read(findFormSession(key)), hosted)
      assert.deepEqual(await store.read(findFormSession({ ...key, sessionId: bare.sessionId })), bare)
      for (const other of [{ merchantId: 'f'.repeat(24) }, { hash: bytesOf('other') }, { sessionId: 'b'.repeat(24) }])
        assert.equal(await store.read(findFormSession({ ...key, ...other })), null)
    }),
  )

  test(
    'a session is updated from the row that was read: of many concurrent updates one succeeds, and the others get false',
    withStore(async ({ store }) => {
      await store.write(insertFormSession, { session, audit })
      const changed = (number: number): FormSessionRow => ({
        ...session,
        attemptsLeft: 2,
        version: 2,
        mac: bytesOf(`mac ${String(number)}`),
      })
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, number) =>
          store.write(updateFormSession, { session: changed(number), previousMac: session.mac, audit }),
        ),
      )
      assert.deepEqual(made.filter(Boolean), [true])
      assert.deepEqual(await store.read(findFormSession(key)), changed(made.indexOf(true)))
      const cancelled = {
        ...changed(0),
        cancelledAt: T0 + 5,
        picked: '1'.repeat(24),
        removals: '2'.repeat(24),
        version: 3,
        mac: bytesOf('cancelled'),
      }
      assert.equal(
        await store.write(updateFormSession, {
          session: { ...cancelled, merchantId: 'f'.repeat(24) },
          previousMac: changed(made.indexOf(true)).mac,
          audit,
        }),
        false,
      )
      assert.equal(await store.write(updateFormSession, { session: cancelled, previousMac: changed(made.indexOf(true)).mac, audit }), true)
      assert.deepEqual(await store.read(findFormSession(key)), cancelled)
    }),
  )

  test(
    'sessions that ended are deleted, and no others',
    withStore(async ({ store }) => {
      await store.write(insertFormSession, { session, audit })
      await store.write(insertFormSession, { session: { ...session, sessionId: 'd'.repeat(24), endsAt: T0 + 5000 }, audit })
      assert.equal(await deleteInPages(store, deleteOldFormSessions, T0 + 1001), 1)
      assert.equal(await store.read(findFormSession(key)), null)
      assert.notEqual(await store.read(findFormSession({ ...key, sessionId: 'd'.repeat(24) })), null)
    }),
  )

  test(
    'the sealed tokens of a session are listed newest first, and deleted when their time is over',
    withStore(async ({ store }) => {
      const makeFormCard = (number: number): FormCardRow => ({
        bucket,
        sessionId: session.sessionId,
        cardId: String(number).repeat(24),
        keyId: 'k'.repeat(32),
        sealed: bytesOf(`sealed ${String(number)}`),
        createdAt: T0 + number,
        endsAt: T0 + 100 * number,
      })
      for (const number of [1, 2, 3]) await store.write(insertFormCard, makeFormCard(number))
      await store.write(insertFormCard, { ...makeFormCard(4), sessionId: 'e'.repeat(24) })
      const list = () => store.read(listFormCards({ bucket, sessionId: session.sessionId }))
      assert.deepEqual(await list(), [makeFormCard(3), makeFormCard(2), makeFormCard(1)])
      assert.equal(await deleteInPages(store, deleteOldFormCards, T0 + 201), 2)
      assert.deepEqual(await list(), [makeFormCard(3)])
    }),
  )
}
