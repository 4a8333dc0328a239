import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { hashDisclosure } from './disclosure-text.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'
import { sandboxDisclosure } from '../../adapters/sandbox/legal.ts'

import { makeConsents } from './consents.ts'
import { makeDisclosures } from './disclosures.ts'
import { findCard, updateCard, cardsTable } from '../../store/cards.ts'

const app = await createTestApp({ after })
const mac = makeRowAuthenticator(app.keyring, app.environment, cardsTable)
const { store, clock, disclosures } = app
const consents = makeConsents({ store, disclosures, mac })
const { version, texts } = hashDisclosure(sandboxDisclosure)
const consent = { version, sha256: texts.uz.sha256, locale: 'uz', at: 1_795_000_000_000 }
const params = { card: { number: '', expire: '0399' }, save: true }
const pan = '8600069195406311'

test('a consent has the exact text and its source, also after the card is removed', async () => {
  const merchant = app.merchant('spec')
  const cases = [
    { created: await merchant.asPage('cards.create', { ...params, consent }, pan), by: 'page', text: sandboxDisclosure.uz },
    { created: await merchant.callRaw('cards.create', { ...params, consent }, pan), by: 'server', text: sandboxDisclosure.uz },
    { created: await merchant.callRaw('cards.create', params, pan), by: 'merchant', text: null },
  ]
  for (const { created, by, text } of cases) {
    assert.ok('card' in created)
    const cardId = created.card.token.slice(0, 24)
    const before = await consents.show(cardId)
    assert.ok(before !== null && before !== 'none')
    assert.deepEqual([before.by, before.text, before.hasValidMac, before.cardState], [by, text, true, 'live'])
    await merchant.call('cards.remove', { token: created.card.token })
    const later = await consents.show(cardId)
    assert.ok(later !== null && later !== 'none')
    const { cardState, cardEndedAt, ...afterRemoval } = later
    assert.equal(cardState, 'removed')
    assert.ok(cardEndedAt !== null)
    const { cardState: _state, cardEndedAt: _endedAt, ...beforeRemoval } = before
    assert.deepEqual(afterRemoval, beforeRemoval)
    assert.ok(!JSON.stringify(before).includes(created.card.token.slice(25)))
  }
  const once = await merchant.call('cards.create', { ...params, save: false }, pan)
  assert.equal(await consents.show(once.card.token.slice(0, 24)), 'none')
  assert.equal(await consents.show('0'.repeat(24)), null)
})

test('an export contains every consent of a merchant once, page after page', async () => {
  const merchant = app.merchant()
  const created: string[] = []
  for (let n = 0; n < 205; n++) created.push((await merchant.createToken(pan)).slice(0, 24))
  await app.merchant().createToken(pan)
  const seen: string[] = []
  let pages = 0
  for (let after: string | null = ''; after !== null; pages++) {
    const page = await consents.page({ merchantId: merchant.merchantId, from: 0, to: 8.64e15, after })
    seen.push(...page.consents.map(({ cardId }) => cardId))
    after = page.next
  }
  assert.deepEqual(seen, created.toSorted())
  assert.equal(pages, 2)
})

test('a consent written into the database without the keys is reported as tampered', async () => {
  const merchant = app.merchant()
  const cardId = (await merchant.createToken(pan)).slice(0, 24)
  const card = await store.read(findCard({ ...merchant, cardId }))
  assert.ok(card !== null)
  const forged = { ...card, consent: JSON.stringify({ ...consent, by: 'form' }), version: 2 }
  const audit = {
    at: 1,
    actor: 'merchant',
    action: 'x',
    merchantId: '',
    subject: '',
    version: 2,
    mac: card.mac,
    requestId: '',
    outcome: '',
  }
  assert.equal(await store.write(updateCard, { card: forged, audit }), true)
  const shown = await consents.show(cardId)
  assert.ok(shown !== null && shown !== 'none')
  assert.deepEqual([shown.by, shown.hasValidMac], ['form', false])
})

test('after the text changes, the former text is still stored, readable, and accepted from forms that show it', async () => {
  const old = hashDisclosure({ version: 'old', en: 'E', ru: 'R', uz: 'U' })
  const today = { ...app, alarm: () => undefined, texts: [{ version: 'old', locale: 'uz', ...old.texts.uz }] }
  await makeDisclosures(today).store()
  const firstUsedAt = clock.now()
  clock.advance(1000)
  await makeDisclosures(today).store()
  const named = { version: 'old', locale: 'uz', sha256: old.texts.uz.sha256 }
  await disclosures.requireIssued(named)
  const { mac: _mac, ...found } = (await disclosures.find(named)) ?? assert.fail('the former text is gone')
  assert.deepEqual(found, { ...named, text: 'U', firstUsedAt, lastUsedAt: firstUsedAt + 1000 })
  await assert.rejects(disclosures.requireIssued({ ...named, locale: 'ru' }), /consentUnknown/)
})
