import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'
import { hashDisclosure } from '../domain/consents/disclosure-text.ts'
import { sandboxDisclosure } from '../adapters/sandbox/legal.ts'

import { signedPack } from '../testing/merchant-pack.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'
import { findCard, updateCard } from '../store/cards.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)
const pan = '8600069195406311'
const { version, texts } = hashDisclosure(sandboxDisclosure)
const consent = { version, sha256: texts.uz.sha256, locale: 'uz', at: 1_795_000_000_000 }
const params = { card: { number: '', expire: '0399' }, save: true }

test('the page Compliance counts the newest cards: sealed, shredded, and tampered with', async () => {
  const user = await entrance.user('read')
  const shop = app.merchant('spec', user.merchantId)
  const empty = await user.call('dashboard.compliance.get', {})
  assert.deepEqual(empty.tokens, { created: 0, checked: 0, sealed: 0, wiped: 0, changed: 0 })
  const made = await Promise.all([
    shop.createToken(pan),
    shop.createToken(pan),
    shop.createToken(pan),
    shop.createToken(pan, { save: false }),
  ])
  await shop.asPage('cards.create', { ...params, consent }, pan)
  await shop.call('cards.remove', { token: made[0] })
  const card = await app.store.read(findCard({ ...shop, cardId: made[1].slice(0, 24) }))
  assert.ok(card !== null)
  const note = { at: 1, actor: 'merchant', action: 'x', merchantId: '', subject: '', version: 2, mac: card.mac, requestId: '', outcome: '' }
  await app.store.write(updateCard, { card: { ...card, verified: true, verifiedAt: 1, version: 2 }, audit: note })

  const evidence = await user.call('dashboard.compliance.get', {})
  assert.deepEqual(evidence.tokens, { created: 5, checked: 5, sealed: 4, wiped: 1, changed: 1 })
  assert.deepEqual(evidence.consents, { form: 0, page: 1, server: 0, merchant: 3, unknown: 0 })
  assert.deepEqual(
    evidence.disclosures.map(({ locale, text }) => [locale, text]),
    (['en', 'ru', 'uz'] as const).map((locale) => [locale, sandboxDisclosure[locale]]),
  )
  assert.equal(evidence.settings.activePasswords, 1)
})

test('the responsibility matrix is complete in each language, by requirement', async () => {
  const user = await entrance.user('support')
  const matrices = await Promise.all(
    (['en', 'ru', 'uz'] as const).map((locale) => user.call('dashboard.compliance.responsibilities', { locale })),
  )
  const [en, ru, uz] = matrices.map(({ rows }) => rows)
  for (const requirement of ['6.4.3', '11.6.1', '12.8, 12.9'])
    for (const rows of [en, ru, uz]) assert.ok(rows?.some((row) => row.requirement === requirement))
  assert.equal(new Set([en, ru, uz].map((rows) => rows?.length)).size, 1)
  for (const [at, row] of (en ?? []).entries()) {
    assert.notEqual(row.provider, ru?.[at]?.provider)
    assert.notEqual(row.merchant, uz?.[at]?.merchant)
    assert.match(ru?.[at]?.provider ?? '', /\p{Script=Cyrillic}/u)
  }
})

test('a merchant downloads the pack that the operator published for it, and nobody else’s', async () => {
  const [user, other] = [await entrance.user('read'), await entrance.user('read')]
  assert.deepEqual(await user.call('dashboard.compliance.evidence', {}), { evidence: null })
  const pack = signedPack(user.merchantId)
  assert.equal(await app.merchantPacks.publish(user.merchantId, pack, ''), true)
  assert.deepEqual(await user.call('dashboard.compliance.evidence', {}), { evidence: { pack, publishedAt: app.clock.now() } })
  assert.deepEqual(await other.call('dashboard.compliance.evidence', {}), { evidence: null })
  const refused = [
    pack.replace('We confirm', 'We do not'),
    signedPack(other.merchantId),
    signedPack(user.merchantId, { confirmation: null }),
    signedPack(user.merchantId, { type: 'tessera.evidence/1' }),
    '{}',
  ]
  for (const text of refused) assert.equal(await app.merchantPacks.publish(user.merchantId, text, ''), false, text)
})
