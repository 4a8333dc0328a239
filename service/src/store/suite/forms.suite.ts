import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FormCardRow, FormSessionRow, SpendFormSession } from '../store.ts'
import type { WithStore } from './opened.fixture.ts'
import { bytesOf, makeCard, makeNote, T0 } from './samples.fixture.ts'

export function formsSuite(withStore: WithStore): void {
  const note = makeNote(makeCard(0), 'form_session.created')
  const { bucket, merchantId } = makeCard(0)
  const session: FormSessionRow = {
    ...{ bucket, merchantId, sessionId: 'a'.repeat(24), hash: bytesOf('secret'), origin: 'https://shop.example', save: 'ask' },
    ...{ customer: 'c-1\0', locale: 'uz', attemptsLeft: 3, createdAt: T0, endsAt: T0 + 1000 },
    ...{ returnTo: null, cancelledAt: 0 },
  }
  const spend: SpendFormSession = { bucket, merchantId, sessionId: session.sessionId, hash: session.hash, now: T0 + 999 }

  test(
    'a session gives as many attempts as it has, however many ask at once',
    withStore(async ({ store }) => {
      await store.insertFormSession(session, note)
      const spent = await Promise.all(Array.from({ length: 20 }, () => store.spendFormSession(spend)))
      const left = spent.flatMap((answer) => (answer.kind === 'session' ? [answer.session.attemptsLeft] : []))
      assert.deepEqual(left.toSorted(), [0, 1, 2])
      assert.equal(spent.filter(({ kind }) => kind === 'usedUp').length, 17)
    }),
  )

  test(
    'it comes back as it was kept, to its merchant, with the right secret, in its time, and to nobody else',
    withStore(async ({ store }) => {
      await store.insertFormSession(session, note)
      const others: [Partial<SpendFormSession>, string][] = [
        [{ merchantId: 'f'.repeat(24) }, 'unknown'],
        [{ hash: bytesOf('other') }, 'unknown'],
        [{ sessionId: 'b'.repeat(24) }, 'unknown'],
        [{ now: session.endsAt }, 'ended'],
      ]
      for (const [change, kind] of others) assert.deepEqual(await store.spendFormSession({ ...spend, ...change }), { kind })
      assert.deepEqual(await store.spendFormSession(spend), { kind: 'session', session: { ...session, attemptsLeft: 2 } })
      const bare: FormSessionRow = { ...session, sessionId: 'c'.repeat(24), customer: null, locale: null, save: 'off' }
      await store.insertFormSession(bare, note)
      const found = await store.spendFormSession({ ...spend, sessionId: bare.sessionId })
      assert.deepEqual(found, { kind: 'session', session: { ...bare, attemptsLeft: 2 } })
    }),
  )

  test(
    'what ended is dropped, and nothing else',
    withStore(async ({ store }) => {
      await store.insertFormSession(session, note)
      await store.insertFormSession({ ...session, sessionId: 'd'.repeat(24), endsAt: T0 + 5000 }, note)
      assert.equal(await store.dropFormSessions(T0 + 1001), 1)
      assert.equal((await store.spendFormSession(spend)).kind, 'unknown')
      assert.equal((await store.spendFormSession({ ...spend, sessionId: 'd'.repeat(24) })).kind, 'session')
    }),
  )

  test(
    'a session of the hosted page is found by its text alone, and is over when its cardholder turned back',
    withStore(async ({ store }) => {
      const key = { bucket, merchantId, sessionId: session.sessionId, hash: session.hash }
      const hosted = { ...session, returnTo: 'https://shop.example/back?order=1' }
      await store.insertFormSession(hosted, note)
      assert.deepEqual(await store.findFormSession(key), hosted)
      assert.equal(await store.findFormSession({ ...key, hash: bytesOf('other') }), null)
      assert.equal(await store.cancelFormSession({ ...key, hash: bytesOf('other') }, T0 + 5, note), false)
      assert.equal(await store.cancelFormSession(key, T0 + 5, note), true)
      assert.equal(await store.cancelFormSession(key, T0 + 6, note), false, 'once')
      assert.deepEqual(await store.findFormSession(key), { ...hosted, cancelledAt: T0 + 5 })
      assert.deepEqual(await store.spendFormSession(spend), { kind: 'ended' })
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
