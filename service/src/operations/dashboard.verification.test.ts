import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { addDays, tashkentDay } from '@tessera/contract/calendar-day'
import type { Result } from '@tessera/contract/operations'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import type { CodeCheckResult } from '../adapters/network/network.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { listCounters } from '../store/counters.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('each failure is listed once, in pages, with its cause and card', async () => {
  const user = await entrance.user('read')
  const shop = app.merchant('spec', user.merchantId)
  const right = await shop.createToken('8600495473316478')
  await shop.call('cards.get_verify_code', { token: right })
  await shop.expectError('cards.verify', { token: right, code: '111111' })
  app.clock.advance(1)
  await shop.call('cards.verify', { token: right, code: '666666' })
  const wrong = await shop.createToken('8600060921090842')
  app.clock.advance(1)
  await shop.expectError('cards.get_verify_code', { token: wrong })
  const list = async (failed: boolean): Promise<Result<'dashboard.verification.list'>['attempts']> => {
    const seen = []
    for (let after: string | null = null, page = 0; page < 9; page++) {
      const found: Result<'dashboard.verification.list'> = await user.call('dashboard.verification.list', { after, count: 1, failed })
      seen.push(...found.attempts)
      after = found.next
      if (after === null) break
    }
    return seen
  }
  const attempts = (await list(false)).map(({ what, cause, cardId }) => [what, cause, cardId])
  const [first, second] = [right.slice(0, 24), wrong.slice(0, 24)]
  assert.deepEqual(attempts.slice(0, 2), [
    ['not_sent', 'sms_not_connected', second],
    ['verified', null, first],
  ])
  assert.deepEqual(attempts.map(([what]) => what).toSorted(), ['not_sent', 'sent', 'verified', 'wrong'])
  const failures = await list(true)
  assert.deepEqual(
    failures.map(({ what, cause, number }) => [what, cause, number]),
    [
      ['not_sent', 'sms_not_connected', '860006******0842'],
      ['wrong', 'wrong_code', '860049******6478'],
    ],
  )
  const { messages } = await user.call('dashboard.verification.inbox', {})
  assert.match(messages[0]?.text ?? '', /666666/)
  assert.equal(messages.length, 1)
})

test('a code rejected by the network is listed like one rejected by the service, with the network’s reason', async (t) => {
  let said: CodeCheckResult = { kind: 'incorrect' }
  const other = await createTestApp(t, { network: (sandbox) => ({ ...sandbox, checkCode: async () => said }) })
  const user = await createDashboardClient(other).user('read')
  const shop = other.merchant('spec', user.merchantId)
  const token = await shop.createToken('8600069195406311')
  await shop.call('cards.get_verify_code', { token })
  for (const next of [{ kind: 'incorrect' }, { kind: 'expired' }, { kind: 'refused', reason: 'cardBlocked' }] as const) {
    said = next
    other.clock.advance(1)
    await shop.expectError('cards.verify', { token, code: '666666' })
  }
  other.clock.advance(1)
  // Not six digits: no attempt, so it is not listed.
  await shop.expectError('cards.verify', { token, code: 'x' })
  const { attempts } = await user.call('dashboard.verification.list', { failed: true })
  assert.deepEqual(
    attempts.map(({ what, cause, cardId }) => [what, cause, cardId]),
    [
      ['refused', 'card_blocked', token.slice(0, 24)],
      ['refused', 'code_expired', token.slice(0, 24)],
      ['wrong', 'wrong_code', token.slice(0, 24)],
    ],
  )
  await other.counters.runOnce(new AbortController().signal)
  const hours = { fromHour: 0, toHour: 2 ** 31, stepHours: 24 } as const
  const counted = await other.store.read(listCounters({ bucket: user.bucket, merchantId: user.merchantId, ...hours }))
  assert.deepEqual(
    counted.filter(({ name }) => name.startsWith('wrong')).map(({ count }) => count),
    [1],
  )
})

test('the funnel counts each card once, at its last step', async () => {
  const user = await entrance.user('read')
  const shop = app.merchant('spec', user.merchantId)
  const [token] = [
    await shop.createVerifiedToken('8600069195406311'),
    await shop.createVerifiedToken('8600069195406311'),
    await shop.createToken('8600069195406311'),
  ]
  const failing = await shop.createToken('4444445987459073')
  await shop.expectError('cards.get_verify_code', { token: failing })
  for (let turn = 0; turn < 2; turn++) {
    const { receipt } = await shop.call('receipts.create', { amount: 500, account: {} })
    await shop.call('receipts.pay', { id: receipt._id, token })
  }
  const today = tashkentDay(app.clock.now())
  const { isComplete, ...counts } = await user.call('dashboard.verification.funnel', { from: addDays(today, -6), to: today })
  assert.deepEqual(counts, { created: 4, sent: 2, verified: 2, paid: 1 })
  assert.equal(isComplete, true)
  const yesterday = addDays(today, -1)
  assert.equal((await user.call('dashboard.verification.funnel', { from: yesterday, to: yesterday })).created, 0)
  assert.equal(await user.expectError('dashboard.verification.funnel', { from: today, to: yesterday }), 'member_invalid')
})

test('an invalid cursor is refused', async () => {
  const user = await entrance.user('read')
  for (const after of ['1.ab', 'x', '1.']) {
    assert.equal(await user.expectError('dashboard.verification.list', { after }), 'member_invalid', after)
  }
})
