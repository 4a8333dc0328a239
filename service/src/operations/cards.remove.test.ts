import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { listAuditEntries, listAuditHeads } from '../store/audit.ts'
import { findCard } from '../store/cards.ts'
import { findVerification } from '../store/verifications.ts'

const app = await createTestApp({ after })
const pan = '8600495473316478'

test('a removed card is shredded at once, and its token gets the error "deleted" from every operation', async () => {
  const merchant = app.merchant('subscribe')
  const { bucket, merchantId } = merchant
  const token = await merchant.createToken(pan)
  await merchant.call('cards.get_verify_code', { token })
  assert.deepEqual(await merchant.call('cards.remove', { token }), { success: true })

  const key = { bucket, merchantId, cardId: token.slice(0, 24) }
  const row = await app.store.read(findCard(key))
  assert.deepEqual([row?.state, row?.keyId, row?.blob.length, row?.endedAt], ['removed', '', 0, app.clock.now()])
  assert.equal(await app.store.read(findVerification(key)), null)
  for (const call of [
    merchant.callRaw('cards.check', { token }),
    merchant.callRaw('cards.remove', { token }),
    merchant.callRaw('cards.get_verify_code', { token }),
    merchant.callRaw('cards.verify', { token, code: '666666' }),
  ]) {
    const reply = await call
    assert.ok('error' in reply)
    assert.deepEqual([reply.error.code, reply.error.data, reply.error.reason], [-31400, 'deleted', 'card_deleted'])
  }
})

test('of many concurrent removals one succeeds, and the others get "deleted"', async () => {
  const merchant = app.merchant()
  const token = await merchant.createToken(pan)
  const replies = await Promise.all(Array.from({ length: 20 }, () => merchant.callRaw('cards.remove', { token })))
  assert.equal(replies.filter((reply) => 'success' in reply).length, 1)
  assert.equal(replies.filter((reply) => 'error' in reply && reply.error.reason === 'card_deleted').length, 19)
})

test('a verified card can be removed, and another token of the same number is not affected', async () => {
  const merchant = app.merchant()
  const [token, other] = [await merchant.createToken(pan), await merchant.createToken(pan)]
  await merchant.call('cards.get_verify_code', { token })
  await merchant.call('cards.verify', { token, code: '666666' })
  await merchant.call('cards.remove', { token })
  await merchant.call('cards.check', { token: other })
})

test('the audit entry of each card change has version and MAC, and no token', async () => {
  const merchant = app.merchant()
  const token = await merchant.createToken(pan)
  await merchant.call('cards.get_verify_code', { token })
  await merchant.expectError('cards.verify', { token, code: '000000' })
  await merchant.call('cards.verify', { token, code: '666666' })
  await merchant.call('cards.remove', { token })
  const entries = await app.store.read(listAuditEntries((await listAuditHeads(app.store))[0]?.chain ?? '', 0, 10_000))
  const ours = entries.filter(({ subject }) => subject === token.slice(0, 24))
  assert.deepEqual(
    ours.map(({ action, outcome, version, mac }) => [action, outcome, version, mac.length]),
    [
      ['card.created', 'saved', 1, 48],
      ['code.requested', 'requested', 0, 0],
      ['code.dispatched', 'sent', 0, 0],
      ['code.attempted', 'wrong_code', 0, 0],
      ['card.verified', 'correct_code', 2, 48],
      ['card.removed', 'removed', 3, 48],
    ],
  )
  assert.ok(!JSON.stringify(entries).includes(token.slice(25)))
})
