import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'

import { addDays, tashkentDay } from '@tessera/contract/calendar-day'
import type { Params, Result } from '@tessera/contract/operations'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import type { CodeCheckResult } from '../adapters/network/network.ts'
import type { SmsDeliveryReport, SmsResult } from '../adapters/sms/sms.ts'

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
      const found: Result<'dashboard.verification.list'> = await user.call('dashboard.verification.list', {
        after,
        count: 1,
        ...(failed ? { outcome: 'failed' as const } : {}),
      })
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
  const { attempts } = await user.call('dashboard.verification.list', { outcome: 'failed' })
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

type VerificationListParams = Params<'dashboard.verification.list'>

test('codes are found by outcome, day, card and phone, and those of another merchant by none of them', async (t) => {
  const { other: app, gateway } = await openWithGateway(t)
  const entrance = createDashboardClient(app)
  const user = await entrance.user('read')
  const shop = app.merchant('spec', user.merchantId)
  const stranger = await entrance.user('read')
  const ofStranger = await app.merchant('spec', stranger.merchantId).createToken('8600495473316478')
  await app.merchant('spec', stranger.merchantId).call('cards.get_verify_code', { token: ofStranger })
  const startedAt = app.clock.now()
  const sent = await shop.createToken('8600495473316478')
  await shop.call('cards.get_verify_code', { token: sent })
  app.clock.advance(24 * 3_600_000)
  const failed = await shop.createToken('8600060921090842')
  await shop.expectError('cards.get_verify_code', { token: failed })
  await user.signIn()
  const find = async (params: VerificationListParams): Promise<string[]> => {
    const { attempts, isPartial } = await user.call('dashboard.verification.list', params)
    assert.equal(isPartial, false)
    return attempts.map(({ what, cardId }) => `${what} ${cardId === sent.slice(0, 24) ? 'one' : 'other'}`)
  }
  const [one, other] = [['sent one'], ['not_sent other']]
  assert.deepEqual(await find({}), [...other, ...one])
  assert.deepEqual(await find({ outcome: 'sent' }), one)
  assert.deepEqual(await find({ outcome: 'not_sent' }), other)
  assert.deepEqual(await find({ outcome: 'verified' }), [])
  assert.deepEqual(await find({ from: startedAt + 1000 }), other)
  assert.deepEqual(await find({ to: startedAt + 1000 }), one)
  for (const card of [sent.slice(0, 24), '6478', '860049******6478']) assert.deepEqual(await find({ card }), one, card)
  assert.deepEqual(await find({ card: '0842', outcome: 'sent' }), [])
  assert.deepEqual(await find({ card: ofStranger.slice(0, 24) }), [])
  const { phone } = gateway
  assert.deepEqual(await find({ phone }), one)
  assert.deepEqual(await find({ phone: `+${phone.slice(0, 3)} (${phone.slice(3, 5)}) ${phone.slice(5)}`, card: '6478' }), one)
  assert.deepEqual(await find({ phone, card: '0842' }), [])
  assert.deepEqual(await find({ phone: '998901234567' }), [])
  assert.equal(await user.expectError('dashboard.verification.list', { phone: '12345' }), 'member_invalid')
  assert.equal(await user.expectError('dashboard.verification.list', { card: 'order 17' }), 'member_invalid')
})

test('one code tells its story, from the request to what was entered, and each code of a card its own', async () => {
  const user = await entrance.user('read')
  const shop = app.merchant('spec', user.merchantId)
  const token = await shop.createToken('8600495473316478')
  const cardId = token.slice(0, 24)
  await shop.call('cards.get_verify_code', { token })
  app.clock.advance(61_000)
  await shop.call('cards.get_verify_code', { token })
  app.clock.advance(1000)
  await shop.expectError('cards.verify', { token, code: '111111' })
  app.clock.advance(1000)
  const { attempts } = await user.call('dashboard.verification.list', { card: cardId })
  assert.deepEqual(
    attempts.map(({ what }) => what),
    ['wrong', 'sent', 'sent'],
  )
  const story = async (id: string) => user.call('dashboard.verification.get', { cardId, id })
  const [wrong, second, first] = await Promise.all(attempts.map(({ requestId }) => story(requestId)))
  assert.ok(second !== undefined && first !== undefined)
  assert.deepEqual(wrong, second)
  assert.deepEqual(
    second.steps.map(({ what }) => what),
    ['requested', 'gateway_called', 'accepted', 'wrong'],
  )
  assert.deepEqual([second.delivery, second.ending, second.steps.at(-1)?.cause], ['unconfirmed', 'waiting', 'wrong_code'])
  assert.deepEqual(
    first.steps.map(({ what }) => what),
    ['requested', 'gateway_called', 'accepted', 'replaced'],
  )
  assert.equal(first.ending, 'replaced')
  assert.equal(second.number, '860049******6478')
  assert.match(second.phone ?? '', /^998\d\d\*+\d\d$/)
  // By its message, as the search of the whole dashboard finds it.
  assert.deepEqual(await story(second.messageId ?? ''), second)
  await shop.call('cards.verify', { token, code: '666666' })
  assert.equal((await story(second.requestId)).ending, 'verified')
})

test('the story of a code that was not sent has the cause, and one that nobody entered expires', async () => {
  const user = await entrance.user('read')
  const shop = app.merchant('spec', user.merchantId)
  const [unsent, byNetwork] = [await shop.createToken('8600060921090842'), await shop.createToken('8600069195406311')]
  await shop.expectError('cards.get_verify_code', { token: unsent })
  await shop.call('cards.get_verify_code', { token: byNetwork })
  const story = async (token: string) => {
    const cardId = token.slice(0, 24)
    const { attempts } = await user.call('dashboard.verification.list', { card: cardId })
    return user.call('dashboard.verification.get', { cardId, id: attempts[0]?.requestId ?? '' })
  }
  const { delivery, cause, ending, steps } = await story(unsent)
  assert.deepEqual([delivery, cause, ending], ['not_sent', 'sms_not_connected', 'not_sent'])
  assert.deepEqual(
    steps.map(({ what, cause: of }) => [what, of]),
    [
      ['requested', null],
      ['not_sent', 'sms_not_connected'],
    ],
  )
  assert.equal((await story(byNetwork)).ending, 'waiting')
  app.clock.advance(3_600_000)
  await user.signIn()
  const expired = await story(byNetwork)
  assert.deepEqual([expired.delivery, expired.ending, expired.phone], ['sent_by_network', 'expired', null])
  assert.equal(expired.steps.at(-1)?.at, expired.requestedAt + expired.lifetimeMs)
  const cardId = unsent.slice(0, 24)
  assert.equal(await user.expectError('dashboard.verification.get', { cardId, id: 'f'.repeat(24) }), 'request_not_found')
  const stranger = await entrance.user('owner')
  const { requestId } = await story(unsent)
  assert.equal(await stranger.expectError('dashboard.verification.get', { cardId, id: requestId }), 'card_not_found')
})

test('a story says what the gateway did with the message: delivered, not delivered, refused, or no word of it', async (t) => {
  const { other, gateway, report } = await openWithGateway(t)
  const user = await createDashboardClient(other).user('read')
  const shop = other.merchant('spec', user.merchantId)
  const story = async (result: SmsResult, reported: 'delivered' | 'failed' | null) => {
    const token = await shop.createToken('8600495473316478')
    gateway.result = result
    await shop.callRaw('cards.get_verify_code', { token })
    other.clock.advance(2000)
    if (reported !== null) await report({ gatewayMessageId: result.gatewayMessageId ?? '', outcome: reported })
    other.clock.advance(24 * 3_600_000)
    await user.signIn()
    const cardId = token.slice(0, 24)
    const { attempts } = await user.call('dashboard.verification.list', { card: cardId })
    const { delivery, cause, steps } = await user.call('dashboard.verification.get', { cardId, id: attempts[0]?.requestId ?? '' })
    return [delivery, cause, steps.map(({ what }) => what).join(' ')]
  }
  const accepted = (gatewayMessageId: string) => ({ outcome: 'accepted', gatewayMessageId }) as const
  const called = 'requested gateway_called'
  assert.deepEqual(await story(accepted('g-1'), 'delivered'), ['delivered', null, `${called} accepted delivered expired`])
  assert.deepEqual(await story(accepted('g-2'), 'failed'), ['undelivered', null, `${called} accepted undelivered expired`])
  assert.deepEqual(await story(accepted('g-3'), null), ['unconfirmed', null, `${called} accepted expired`])
  assert.deepEqual(await story({ outcome: 'rejected' }, null), ['not_sent', 'sms_not_sent', `${called} rejected`])
  assert.deepEqual(await story({ outcome: 'unknown' }, null), ['no_reply', null, `${called} no_reply expired`])
})

/** An application whose SMS gateway replies and reports as it is told. */
async function openWithGateway(t: TestContext) {
  const gateway = { result: { outcome: 'accepted' } as SmsResult, phone: '' }
  let listener: (report: SmsDeliveryReport) => Promise<void> = () => assert.fail('nobody listens')
  const other = await createTestApp(t, {
    sms: () => ({
      send: async ({ phone }) => ((gateway.phone = phone), gateway.result),
      watchDeliveries: (listen) => void (listener = listen),
    }),
  })
  return { other, gateway, report: (of: SmsDeliveryReport) => listener(of) }
}

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
