import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { CardRow } from '../store/store.ts'

import type { Caller } from './caller.fixture.ts'
import { compose } from './compose.fixture.ts'

const house = await compose()
after(() => house.close())

test('a card is told with its token in both profiles, before and after it is verified', async () => {
  const merchant = house.caller('spec')
  const token = await merchant.token('8600495473316478', { save: false })
  const told = { number: '8600***6478', expire: '0399', token, recurrent: false, verify: false, type: '22618' }
  assert.deepEqual(await merchant.expect('cards.check', { token }), { card: told })
  await merchant.expect('cards.get_verify_code', { token })
  await merchant.expect('cards.verify', { token, code: '666666' })
  assert.deepEqual(await merchant.expect('cards.check', { token }), { card: { ...told, verify: true } })
  const subscribed = { ...told, number: '860049******6478', expire: '03/99', verify: true }
  assert.deepEqual(await merchant.in('subscribe').expect('cards.check', { token }), { card: subscribed })
})

test('a row that was changed without the keys is never answered from: a fault of ours, and an alarm', async () => {
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
    const merchant = house.caller()
    const token = await merchant.token('8600069195406311')
    const row = await rowOf(merchant, token)
    await house.store.changeCard({ ...row, ...change, version: 2 }, noteOf(row))
    const before = house.alarms.length
    const reply = await merchant.call('cards.check', { token })
    assert.ok('error' in reply, Object.keys(change).join())
    assert.equal(reply.error.reason, 'internal_error')
    assert.match(JSON.stringify(reply.error.data), /^"[0-9a-f]{24}"$/)
    assert.deepEqual(house.alarms.slice(before), [`row_tampered ${row.cardId}`])
  }
})

test('an old row put back under a new version number does not pass either', async () => {
  const merchant = house.caller()
  const token = await merchant.token('8600495473316478')
  await merchant.expect('cards.get_verify_code', { token })
  await merchant.expect('cards.verify', { token, code: '666666' })
  const verified = await rowOf(merchant, token)
  await merchant.expect('cards.remove', { token })
  await house.store.changeCard({ ...verified, version: 4 }, noteOf(verified))
  assert.equal(await merchant.refused('cards.check', { token }), 'internal_error')
})

test('one card’s row in the place of another’s does not pass', async () => {
  const merchant = house.caller()
  const [mine, theirs] = [await merchant.token('8600069195406311'), await merchant.token('8600495473316478')]
  const [row, other] = [await rowOf(merchant, mine), await rowOf(merchant, theirs)]
  const swapped = { ...other, cardId: row.cardId, tokenHash: row.tokenHash, version: 2 }
  await house.store.changeCard(swapped, noteOf(row))
  assert.equal(await merchant.refused('cards.check', { token: mine }), 'internal_error')
})

async function rowOf({ bucket, merchantId }: Caller, token: string): Promise<CardRow> {
  const row = await house.store.findCard({ bucket, merchantId, cardId: token.slice(0, 24) })
  assert.ok(row !== null)
  return row
}

function noteOf({ merchantId, cardId }: CardRow) {
  const who = { at: house.clock.now(), actor: 'test', action: 'test', merchantId, subject: cardId, requestId: '', outcome: 'test' }
  return { ...who, version: 0, mac: new Uint8Array(0) }
}
