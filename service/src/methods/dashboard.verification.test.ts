import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Result } from '@tessera/contract/methods'

import { openEntrance } from '../dashboard/visitor.fixture.ts'

import type { FinishedVerification } from '../network/network.ts'

import { compose } from './compose.fixture.ts'

const house = await compose()
const entrance = openEntrance(house)
after(() => house.close())

test('each failure is listed with its cause and its card, page by page, each once', async () => {
  const user = await entrance.user('read')
  const shop = house.caller('spec', user.merchantId)
  const right = await shop.token('8600495473316478')
  await shop.expect('cards.get_verify_code', { token: right })
  await shop.refused('cards.verify', { token: right, code: '111111' })
  house.clock.advance(1)
  await shop.expect('cards.verify', { token: right, code: '666666' })
  const wrong = await shop.token('8600060921090842')
  house.clock.advance(1)
  await shop.refused('cards.get_verify_code', { token: wrong })
  const list = async (failed: boolean): Promise<Result<'dashboard.verification.list'>['attempts']> => {
    const seen = []
    for (let after: string | null = null, page = 0; page < 9; page++) {
      const found: Result<'dashboard.verification.list'> = await user.expect('dashboard.verification.list', { after, count: 1, failed })
      seen.push(...found.attempts)
      after = found.next
      if (after === null) break
    }
    return seen
  }
  const told = (await list(false)).map(({ what, cause, cardId }) => [what, cause, cardId])
  const [first, second] = [right.slice(0, 24), wrong.slice(0, 24)]
  assert.deepEqual(told.slice(0, 2), [
    ['not_sent', 'sms_not_connected', second],
    ['verified', null, first],
  ])
  assert.deepEqual(told.map(([what]) => what).toSorted(), ['not_sent', 'sent', 'verified', 'wrong'])
  const failures = await list(true)
  assert.deepEqual(
    failures.map(({ what, cause, number }) => [what, cause, number]),
    [
      ['not_sent', 'sms_not_connected', '860006******0842'],
      ['wrong', 'wrong_code', '860049******6478'],
    ],
  )
  const { messages } = await user.expect('dashboard.verification.inbox', {})
  assert.match(messages[0]?.text ?? '', /666666/)
  assert.equal(messages.length, 1)
})

test('a code that the network checks and does not find right is listed like one that we check, with what the network said', async () => {
  let said: FinishedVerification = { kind: 'wrong' }
  const other = await compose({ network: (sandbox) => ({ ...sandbox, finishVerification: async () => said }) })
  try {
    const user = await openEntrance(other).user('read')
    const shop = other.caller('spec', user.merchantId)
    const token = await shop.token('8600069195406311')
    await shop.expect('cards.get_verify_code', { token })
    for (const next of [{ kind: 'wrong' }, { kind: 'tooOld' }, { kind: 'refused', reason: 'cardBlocked' }] as const) {
      said = next
      other.clock.advance(1)
      await shop.refused('cards.verify', { token, code: '666666' })
    }
    other.clock.advance(1)
    // No six digits: a wrong try of which the network is not asked.
    await shop.refused('cards.verify', { token, code: 'x' })
    const { attempts } = await user.expect('dashboard.verification.list', { failed: true })
    assert.deepEqual(
      attempts.map(({ what, cause, cardId }) => [what, cause, cardId]),
      [
        ['wrong', 'wrong_code', token.slice(0, 24)],
        ['refused', 'card_blocked', token.slice(0, 24)],
        ['refused', 'code_too_old', token.slice(0, 24)],
        ['wrong', 'wrong_code', token.slice(0, 24)],
      ],
    )
    await other.tallies.runOnce(new AbortController().signal)
    const hours = { fromHour: 0, toHour: 2 ** 31, stepHours: 24 } as const
    const counted = await other.store.listTallies({ bucket: user.bucket, merchantId: user.merchantId, ...hours })
    assert.deepEqual(
      counted.filter(({ name }) => name.startsWith('wrong')).map(({ count }) => count),
      [2],
    )
  } finally {
    await other.close()
  }
})

test('the funnel counts each card once at the furthest that it came to', async () => {
  const user = await entrance.user('read')
  const shop = house.caller('spec', user.merchantId)
  const [token] = [await shop.verified('8600069195406311'), await shop.verified('8600069195406311'), await shop.token('8600069195406311')]
  const failing = await shop.token('4444445987459073')
  await shop.refused('cards.get_verify_code', { token: failing })
  for (let turn = 0; turn < 2; turn++) {
    const { receipt } = await shop.expect('receipts.create', { amount: 500, account: {} })
    await shop.expect('receipts.pay', { id: receipt._id, token })
  }
  const { isWhole, ...counts } = await user.expect('dashboard.verification.funnel', { days: 7 })
  assert.deepEqual(counts, { created: 4, sent: 2, verified: 2, paid: 1 })
  assert.equal(isWhole, true)
})

test('a place that no page gave is refused', async () => {
  const user = await entrance.user('read')
  for (const after of ['1.ab', 'x', '1.']) {
    assert.equal(await user.refused('dashboard.verification.list', { after }), 'member_invalid', after)
  }
})
