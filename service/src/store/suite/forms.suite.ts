import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FormCardRow, FormSessionKey, FormSessionRow } from '../store.ts'
import type { WithStore } from './opened.fixture.ts'
import { bytesOf, makeCard, makeNote, T0 } from './samples.fixture.ts'

export function formsSuite(withStore: WithStore): void {
  const note = makeNote(makeCard(0), 'form_session.created')
  const { bucket, merchantId } = makeCard(0)
  const session: FormSessionRow = {
    ...{ bucket, merchantId, sessionId: 'a'.repeat(24), hash: bytesOf('secret'), origin: 'https://shop.example', save: 'ask' },
    ...{ customer: 'c-1\0', locale: 'uz', attemptsLeft: 3, createdAt: T0, endsAt: T0 + 1000 },
    ...{ returnTo: null, cancelledAt: 0, mac: bytesOf('mac') },
  }
  const key: FormSessionKey = { bucket, merchantId, sessionId: session.sessionId, hash: session.hash }

  test(
    'it comes back as it was kept, to its merchant, with the right secret, and to nobody else',
    withStore(async ({ store }) => {
      const hosted: FormSessionRow = { ...session, returnTo: 'https://shop.example/back?order=1' }
      const bare: FormSessionRow = { ...session, sessionId: 'c'.repeat(24), customer: null, locale: null, save: 'off' }
      for (const row of [hosted, bare]) await store.insertFormSession(row, note)
      assert.deepEqual(await store.findFormSession(key), hosted)
      assert.deepEqual(await store.findFormSession({ ...key, sessionId: bare.sessionId }), bare)
      for (const other of [{ merchantId: 'f'.repeat(24) }, { hash: bytesOf('other') }, { sessionId: 'b'.repeat(24) }])
        assert.equal(await store.findFormSession({ ...key, ...other }), null)
    }),
  )

  test(
    'a session is changed from the row that was read: of many who change it at once one does, and the others are told',
    withStore(async ({ store }) => {
      await store.insertFormSession(session, note)
      const changed = (number: number): FormSessionRow => ({ ...session, attemptsLeft: 2, mac: bytesOf(`mac ${String(number)}`) })
      const made = await Promise.all(Array.from({ length: 20 }, (_, number) => store.changeFormSession(changed(number), session.mac, null)))
      assert.deepEqual(made.filter(Boolean), [true])
      assert.deepEqual(await store.findFormSession(key), changed(made.indexOf(true)))
      const cancelled = { ...changed(0), cancelledAt: T0 + 5, mac: bytesOf('cancelled') }
      assert.equal(
        await store.changeFormSession({ ...cancelled, merchantId: 'f'.repeat(24) }, changed(made.indexOf(true)).mac, note),
        false,
      )
      assert.equal(await store.changeFormSession(cancelled, changed(made.indexOf(true)).mac, note), true)
      assert.deepEqual(await store.findFormSession(key), cancelled)
    }),
  )

  test(
    'what ended is dropped, and nothing else',
    withStore(async ({ store }) => {
      await store.insertFormSession(session, note)
      await store.insertFormSession({ ...session, sessionId: 'd'.repeat(24), endsAt: T0 + 5000 }, note)
      assert.equal(await store.dropFormSessions(T0 + 1001), 1)
      assert.equal(await store.findFormSession(key), null)
      assert.notEqual(await store.findFormSession({ ...key, sessionId: 'd'.repeat(24) }), null)
    }),
  )

  test(
    'the sealed tokens of a session come newest first, and are dropped when their time is over',
    withStore(async ({ store }) => {
      const kept = (number: number): FormCardRow => ({
        ...{ bucket, sessionId: session.sessionId, cardId: String(number).repeat(24), keyId: 'k'.repeat(32) },
        ...{ sealed: bytesOf(`sealed ${String(number)}`), createdAt: T0 + number, endsAt: T0 + 100 * number },
      })
      for (const number of [1, 2, 3]) await store.keepFormCard(kept(number))
      await store.keepFormCard({ ...kept(4), sessionId: 'e'.repeat(24) })
      const list = () => store.listFormCards({ bucket, sessionId: session.sessionId })
      assert.deepEqual(await list(), [kept(3), kept(2), kept(1)])
      assert.equal(await store.dropFormCards(T0 + 201), 2)
      assert.deepEqual(await list(), [kept(3)])
    }),
  )
}
