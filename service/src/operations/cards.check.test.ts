import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { type CardRow, findCard, updateCard } from '../store/cards.ts'

import type { TestMerchant } from '../testing/test-merchant.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })

test('cards.check returns the card with its token in both profiles, before and after verification', async () => {
  const merchant = app.merchant('spec')
  const token = await merchant.createToken('8600495473316478', { save: false })
  const expected = { number: '8600***6478', expire: '0399', token, recurrent: false, verify: false, type: '22618' }
  assert.deepEqual(await merchant.call('cards.check', { token }), { card: expected })
  await merchant.call('cards.get_verify_code', { token })
  await merchant.call('cards.verify', { token, code: '666666' })
  assert.deepEqual(await merchant.call('cards.check', { token }), { card: { ...expected, verify: true } })
  const subscribed = { ...expected, number: '860049******6478', expire: '03/99', verify: true }
  assert.deepEqual(await merchant.withProfile('subscribe').call('cards.check', { token }), { card: subscribed })
})

test('a row that was changed without the keys is never returned: internal error, and an alarm', async () => {
  const changes: Partial<CardRow>[] = [
    { verified: true },
    { recurrent: false },
    { endsAt: Date.UTC(2199, 0) },
    { maskedPan: '860006******0000' },
    { type: '22621' },
    { expiry: '0499' as CardRow['expiry'] },
    { keyId: '0'.repeat(32) },
    { blob: new Uint8Array(112) },
    { customer: 'another' },
    { account: '{}' },
    { consent: null },
    { createdAt: 1 },
    { verifiedAt: 1 },
    { endedAt: 1 },
    { state: 'removed' },
    { state: 'ended' },
    { mac: new Uint8Array(48) },
    { mac: new Uint8Array(0) },
  ]
  for (const change of changes) {
    const merchant = app.merchant()
    const token = await merchant.createToken('8600069195406311')
    const row = await rowOf(merchant, token)
    await app.store.write(updateCard, { card: { ...row, ...change, version: 2 }, audit: noteOf(row) })
    const before = app.alarms.length
    const reply = await merchant.callRaw('cards.check', { token })
    assert.ok('error' in reply, Object.keys(change).join())
    assert.equal(reply.error.reason, 'internal_error')
    assert.match(JSON.stringify(reply.error.data), /^"[0-9a-f]{24}"$/)
    assert.deepEqual(app.alarms.slice(before), [`row_tampered ${row.cardId}`])
  }
})

test('an old row restored under a new version number has no valid MAC', async () => {
  const merchant = app.merchant()
  const token = await merchant.createToken('8600495473316478')
  await merchant.call('cards.get_verify_code', { token })
  await merchant.call('cards.verify', { token, code: '666666' })
  const verified = await rowOf(merchant, token)
  await merchant.call('cards.remove', { token })
  await app.store.write(updateCard, { card: { ...verified, version: 4 }, audit: noteOf(verified) })
  assert.equal(await merchant.expectError('cards.check', { token }), 'internal_error')
})

test('the row of one card in the place of another has no valid MAC', async () => {
  const merchant = app.merchant()
  const [mine, theirs] = [await merchant.createToken('8600069195406311'), await merchant.createToken('8600495473316478')]
  const [row, other] = [await rowOf(merchant, mine), await rowOf(merchant, theirs)]
  const swapped = { ...other, cardId: row.cardId, tokenHash: row.tokenHash, version: 2 }
  await app.store.write(updateCard, { card: swapped, audit: noteOf(row) })
  assert.equal(await merchant.expectError('cards.check', { token: mine }), 'internal_error')
})

async function rowOf({ bucket, merchantId }: TestMerchant, token: string): Promise<CardRow> {
  const row = await app.store.read(findCard({ bucket, merchantId, cardId: token.slice(0, 24) }))
  assert.ok(row !== null)
  return row
}

function noteOf({ merchantId, cardId }: CardRow) {
  const who = { at: app.clock.now(), actor: 'test', action: 'test', merchantId, subject: cardId, requestId: '', outcome: 'test' }
  return { ...who, version: 0, mac: new Uint8Array(0) }
}
