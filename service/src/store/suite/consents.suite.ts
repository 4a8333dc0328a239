import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCardOfAnyMerchant, insertCard, listConsents, updateCard } from '../cards.ts'
import { type DisclosureRow, findDisclosure, saveDisclosure } from '../disclosures.ts'
import type { WithStore } from './opened.fixture.ts'
import { bytesOf, bucket, sampleCardId, makeCard, makeAuditEntry, sampleMerchantId, T0 } from './samples.fixture.ts'

export function consentsSuite(withStore: WithStore): void {
  const disclosure: DisclosureRow = {
    version: 'a "1"\0',
    locale: 'uz',
    sha256: 'ab'.repeat(32),
    text: 'Kartam… 😀\0',
    mac: bytesOf('disclosure'),
    firstUsedAt: T0,
    lastUsedAt: T0,
  }

  test(
    'a disclosure stays as it was first stored, and only its last use changes',
    withStore(async ({ store, reopen }) => {
      await store.write(saveDisclosure, disclosure)
      await store.write(saveDisclosure, { ...disclosure, text: 'another', firstUsedAt: T0 + 9, lastUsedAt: T0 + 9 })
      await store.write(saveDisclosure, { ...disclosure, lastUsedAt: T0 + 5 })
      const stored = { ...disclosure, lastUsedAt: T0 + 9 }
      assert.deepEqual(await store.read(findDisclosure(disclosure)), stored)
      for (const other of [{ version: 'a' }, { locale: 'en' }, { sha256: 'cd'.repeat(32) }])
        assert.equal(await store.read(findDisclosure({ ...disclosure, ...other })), null)
      assert.deepEqual(await (await reopen()).read(findDisclosure(disclosure)), stored)
    }),
  )

  test(
    'a merchant’s consents are listed page by page in a time range, with those of removed cards and of no other card',
    withStore(async ({ store }) => {
      const consent = '{"asserted":"merchant"}'
      const cards = [
        ...[1, 2, 3, 4].map((n) => makeCard(n, { consent, createdAt: T0 + n, tokenHash: new Uint8Array(32).fill(n) })),
        makeCard(5, { createdAt: T0 + 2 }),
        makeCard(6, { consent, createdAt: T0 + 2, merchantId: 'f'.repeat(24) }),
      ]
      for (const card of cards) await store.write(insertCard, { card, audit: makeAuditEntry(card) })
      const removed = { ...cards[1]!, version: 2, state: 'removed', keyId: '', blob: new Uint8Array(0), endedAt: T0 + 9 } as const
      assert.equal(await store.write(updateCard, { card: removed, audit: makeAuditEntry(removed) }), true)
      const query = { bucket, merchantId: sampleMerchantId, from: T0 + 2, to: T0 + 4, after: '', count: 1 }
      const first = await store.read(listConsents(query))
      assert.deepEqual(first, [removed])
      assert.deepEqual(await store.read(listConsents({ ...query, after: sampleCardId(2) })), [cards[2]])
      assert.deepEqual(await store.read(listConsents({ ...query, after: sampleCardId(3) })), [])
      assert.equal((await store.read(listConsents({ ...query, from: 0, to: T0 + 9, count: 10 }))).length, 4)
      assert.deepEqual(await store.read(findCardOfAnyMerchant(bucket, sampleCardId(6))), cards[5])
      assert.equal(await store.read(findCardOfAnyMerchant(bucket, sampleCardId(7))), null)
    }),
  )
}
