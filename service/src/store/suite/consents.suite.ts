import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DisclosureRow } from '../store.ts'
import type { WithStore } from './opened.fixture.ts'
import { bucket, cardIdOf, makeCard, makeNote, merchantId, T0 } from './samples.fixture.ts'

export function consentsSuite(withStore: WithStore): void {
  const shown: DisclosureRow = {
    ...{ version: 'a "1"\0', locale: 'uz', sha256: 'ab'.repeat(32), text: 'Kartam… 😀\0' },
    ...{ firstUsedAt: T0, lastUsedAt: T0 },
  }

  test(
    'a text that was shown stays as it was first kept, and only its last use moves on',
    withStore(async ({ store, reopen }) => {
      await store.keepDisclosure(shown)
      await store.keepDisclosure({ ...shown, text: 'another', firstUsedAt: T0 + 9, lastUsedAt: T0 + 9 })
      await store.keepDisclosure({ ...shown, lastUsedAt: T0 + 5 })
      const kept = { ...shown, lastUsedAt: T0 + 9 }
      assert.deepEqual(await store.findDisclosure(shown), kept)
      for (const other of [{ version: 'a' }, { locale: 'en' }, { sha256: 'cd'.repeat(32) }])
        assert.equal(await store.findDisclosure({ ...shown, ...other }), null)
      assert.deepEqual(await (await reopen()).findDisclosure(shown), kept)
    }),
  )

  test(
    'the consents of a merchant are listed page by page in its span of time, removed cards too, and no other card',
    withStore(async ({ store }) => {
      const consent = '{"asserted":"merchant"}'
      const cards = [
        ...[1, 2, 3, 4].map((n) => makeCard(n, { consent, createdAt: T0 + n, tokenHash: new Uint8Array(32).fill(n) })),
        makeCard(5, { createdAt: T0 + 2 }),
        makeCard(6, { consent, createdAt: T0 + 2, merchantId: 'f'.repeat(24) }),
      ]
      for (const card of cards) await store.insertCard(card, makeNote(card))
      const removed = { ...cards[1]!, version: 2, state: 'removed', keyId: '', blob: new Uint8Array(0), endedAt: T0 + 9 } as const
      assert.equal(await store.changeCard(removed, makeNote(removed)), true)
      const ask = { bucket, merchantId, from: T0 + 2, to: T0 + 4, after: '', count: 1 }
      const first = await store.listConsents(ask)
      assert.deepEqual(first, [removed])
      assert.deepEqual(await store.listConsents({ ...ask, after: cardIdOf(2) }), [cards[2]])
      assert.deepEqual(await store.listConsents({ ...ask, after: cardIdOf(3) }), [])
      assert.equal((await store.listConsents({ ...ask, from: 0, to: T0 + 9, count: 10 })).length, 4)
      assert.deepEqual(await store.findCardOfAny(bucket, cardIdOf(6)), cards[5])
      assert.equal(await store.findCardOfAny(bucket, cardIdOf(7)), null)
    }),
  )
}
