import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { openControls } from '../adapters/sandbox/controls.ts'
import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts'
import { listAuditOfSubject } from '../store/audit.ts'
import { deleteTestData } from '../store/test-data.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

const success = '8600069195406311'
const sentByService = '8600495473316478'
const blocked = '4444445987459073'

async function alone(use: (other: TestApp) => Promise<void>): Promise<void> {
  const other = await createTestApp({ after })
  await use(other)
}

test('a simulated fault applies from the next call on, only to its merchant, until it is reset', async () => {
  const developer = await entrance.user('developer')
  const shop = app.merchant('spec', developer.merchantId)
  const stranger = app.merchant()
  const [token, theirs] = [await shop.createToken(success), await stranger.createToken(success)]
  await developer.call('dashboard.sandbox.setStep', { scenario: 'cards.get_verify_code', step: 'card_blocked' })
  await developer.call('dashboard.sandbox.setStep', { scenario: 'receipts.pay', step: 'insufficient_funds' })
  assert.equal(await shop.expectError('cards.get_verify_code', { token }), 'card_blocked')
  await stranger.call('cards.get_verify_code', { token: theirs })
  await developer.call('dashboard.sandbox.setStep', { scenario: 'cards.verify', step: 'sms_not_connected' })
  assert.equal(await shop.expectError('cards.verify', { token, code: '666666' }), 'sms_not_connected')
  await stranger.call('cards.verify', { token: theirs, code: '666666' })
  await developer.call('dashboard.sandbox.setStep', { scenario: 'cards.verify', step: 'none' })
  await shop.call('cards.verify', { token, code: '666666' })
  const { receipt } = await shop.call('receipts.create', { amount: 5000, account: {} })
  assert.equal(await shop.expectError('receipts.pay', { id: receipt._id, token }), 'insufficient_funds')
  const controls = await developer.call('dashboard.sandbox.get', {})
  assert.equal(controls.faults.find(({ scenario }) => scenario === 'receipts.pay')?.step, 'insufficient_funds')
  assert.equal(controls.changed, 2)
  await developer.call('dashboard.sandbox.restore', {})
  assert.equal((await developer.call('dashboard.sandbox.get', {})).changed, 0)
  await shop.call('receipts.pay', { id: receipt._id, token })
  const actions = (await app.store.read(listAuditOfSubject(developer.merchantId, developer.merchantId, 20))).map(
    ({ actor, action, outcome }) => (actor === `user:${developer.userId}` ? `${action} ${outcome}` : ''),
  )
  assert.ok(actions.includes('sandbox.changed receipts.pay insufficient_funds'))
  assert.ok(actions.includes('sandbox.restored done'))
})

test('a late response arrives after its delay, and a lost one is a timeout', async () => {
  const developer = await entrance.user('developer')
  const shop = app.merchant('spec', developer.merchantId)
  const token = await shop.createToken(success)
  await developer.call('dashboard.sandbox.setStep', { scenario: 'cards.get_verify_code', step: 'late_3' })
  const pending = shop.call('cards.get_verify_code', { token })
  await app.clock.untilSleeping(3000)
  app.clock.advance(3000)
  assert.equal((await pending).sent, true)
  await developer.call('dashboard.sandbox.setStep', { scenario: 'cards.verify', step: 'lose_answer' })
  for (const pan of [success, sentByService]) {
    const lost = await shop.createToken(pan)
    await developer.call('dashboard.sandbox.setStep', { scenario: 'cards.get_verify_code', step: 'none' })
    await shop.call('cards.get_verify_code', { token: lost })
    const answered = shop.expectError('cards.verify', { token: lost, code: '666666' })
    await app.clock.untilSleeping(60_000)
    await app.clock.untilSleeping(12_000)
    app.clock.advance(12_000)
    assert.equal(await answered, 'network_timeout')
  }
})

test('the error listed for a test card is the one that the API returns', async () => {
  const developer = await entrance.user('developer')
  const shop = app.merchant('spec', developer.merchantId)
  const { cards } = await developer.call('dashboard.sandbox.get', {})
  assert.deepEqual(
    cards.filter(({ control }) => control === null).map(({ atStep, atPay }) => [atStep, atPay]),
    [
      [null, null],
      [null, null],
    ],
  )
  for (const { number, control, atStep, atPay } of cards) {
    // The ten seconds are in a test of the network.
    if (control === null || control.scenario === 'network_timeout') continue
    const token = await shop.createToken(number)
    const reply = await shop.callRaw('cards.get_verify_code', { token })
    assert.ok('error' in reply)
    assert.deepEqual({ code: reply.error.code, reason: reply.error.reason }, atStep)
    await shop.call('cards.verify', { token, code: '666666' })
    const { receipt } = await shop.call('receipts.create', { amount: 5000, account: {} })
    const paid = await shop.callRaw('receipts.pay', { id: receipt._id, token })
    assert.ok('error' in paid)
    assert.deepEqual({ code: paid.error.code, reason: paid.error.reason }, atPay)
  }
  await developer.call('dashboard.sandbox.setStep', { scenario: 'card_blocked', step: 'create' })
  assert.equal(await shop.expectError('cards.create', { card: { number: '', expire: '0399' } }, blocked), 'card_blocked')
})

test('an unknown control or step is refused with an explanation', async () => {
  const developer = await entrance.user('developer')
  for (const [scenario, step, says] of [
    ['card_lost', 'create', /A scenario is one of/],
    ['cards.verify', 'late_31', /A step of cards.verify is one of/],
    ['card_blocked', 'none', /A step of card_blocked/],
    ['limits', 'off', /A scenario is one of/],
  ] as const) {
    const { error } = await developer.callRaw('dashboard.sandbox.setStep', { scenario, step })
    assert.equal(error?.reason, 'setting_refused')
    assert.match(typeof error.data === 'string' ? error.data : '', says)
  }
})

test('simulated caps are counted per merchant for the same card, and restart from zero', async () => {
  const [one, two] = [await entrance.user('developer'), await entrance.user('developer')]
  const [first, second] = [app.merchant('spec', one.merchantId), app.merchant('spec', two.merchantId)]
  const ask = async (shop: typeof first): Promise<string> => {
    const reply = await shop.callRaw('cards.get_verify_code', { token: await shop.createToken(success) })
    return 'error' in reply ? reply.error.reason : 'sent'
  }
  for (const developer of [one, two]) await developer.call('dashboard.sandbox.setLimits', { on: true })
  assert.deepEqual([await ask(first), await ask(first), await ask(second)], ['sent', 'send_limit_card', 'sent'])
  assert.equal((await one.call('dashboard.sandbox.get', {})).limits.on, true)
  app.clock.advance(1)
  await one.call('dashboard.sandbox.setLimits', { on: true })
  assert.equal(await ask(first), 'sent')
  await one.call('dashboard.sandbox.setLimits', { on: false })
  assert.deepEqual([await ask(first), await ask(first)], ['sent', 'sent'])
  assert.equal(await ask(second), 'send_limit_card')
})

test('moving the time expires codes and tokens; after a reset new ones last as usual, and users stay signed in', () =>
  alone(async (other) => {
    const developer = await createDashboardClient(other).user('developer')
    const shop = other.merchant('spec', developer.merchantId)
    const createTokenWithCode = async (): Promise<string> => {
      const token = await shop.createToken(success)
      await shop.call('cards.get_verify_code', { token })
      return token
    }
    const move = (offsetMs: number) => developer.call('dashboard.sandbox.moveClock', { offsetMs })
    const [young, old, older] = [await createTokenWithCode(), await createTokenWithCode(), await createTokenWithCode()]
    await move(170_000)
    await shop.call('cards.verify', { token: young, code: '666666' })
    await move(180_000)
    assert.equal(await shop.expectError('cards.verify', { token: old, code: '666666' }), 'code_expired')
    await move(86_400_000)
    assert.equal(await shop.expectError('cards.check', { token: older }), 'card_ended')
    assert.equal((await developer.call('dashboard.session.get', {})).session?.clockOffsetMs, 86_400_000)
    const ahead = await createTokenWithCode()
    await shop.call('cards.verify', { token: ahead, code: '666666' })
    await move(0)
    assert.equal((await developer.call('dashboard.sandbox.get', {})).changed, 0)
    await shop.call('cards.verify', { token: await createTokenWithCode(), code: '666666' })
    other.clock.advance(60_000)
    const again = await createTokenWithCode()
    other.clock.advance(60_000)
    await shop.call('cards.get_verify_code', { token: again })
  }))

test('a hold expires when the time is moved past its seven days, and not before', () =>
  alone(async (other) => {
    const developer = await createDashboardClient(other).user('developer')
    const shop = other.merchant('spec', developer.merchantId)
    const token = await shop.createVerifiedToken(success)
    const { receipt } = await shop.call('receipts.create', { amount: 5000, account: {} })
    await shop.call('receipts.pay', { id: receipt._id, token, hold: true })
    const states: number[] = []
    for (const days of [6, 8]) {
      await developer.call('dashboard.sandbox.moveClock', { offsetMs: days * 86_400_000 })
      for (let turn = 0; turn < 5; turn++) await other.receiptWorker.runOnce()
      states.push((await shop.call('receipts.check', { id: receipt._id })).state)
    }
    assert.deepEqual(states, [5, 50])
  }))

test('simulated limits and steps are still set after a restart', async () => {
  const developer = await entrance.user('developer')
  await developer.call('dashboard.sandbox.setLimits', { on: true })
  const begun: string[] = []
  const limitSimulation = {
    sinceOf: () => null,
    begin: (merchantId: string) => begun.push(merchantId) > 0,
    end: () => undefined,
  }
  const { available } = app.controls ?? assert.fail('the app has controls')
  const mover = { offsetMs: () => 0, moveTo: () => undefined }
  await openControls({ store: app.store, clock: app.clock, available, mover, limitSimulation, maxOffsetMs: 1 })
  assert.ok(begun.includes(developer.merchantId))
  await developer.call('dashboard.sandbox.setLimits', { on: false })
})

test('a merchant cannot move the time of an environment shared with others', async () => {
  const developer = await entrance.user('developer')
  await entrance.user('read')
  const { error } = await developer.callRaw('dashboard.sandbox.moveClock', { offsetMs: 1000 })
  assert.equal(error?.reason, 'setting_refused')
  assert.equal((await developer.call('dashboard.sandbox.get', {})).clock.mayMove, false)
})

test('a reset shreds each card first, deletes simulated data, and changes neither another merchant nor the audit', async () => {
  const developer = await entrance.user('developer')
  const shop = app.merchant('spec', developer.merchantId)
  const stranger = app.merchant()
  const tokens = []
  for (const merchant of [shop, stranger]) {
    const token = await merchant.createVerifiedToken(sentByService)
    tokens.push(token)
    const { receipt } = await merchant.call('receipts.create', { amount: 5000, account: {} })
    await merchant.call('receipts.pay', { id: receipt._id, token })
  }
  const [mine = '', theirs = ''] = tokens
  assert.equal(await developer.expectError('dashboard.sandbox.reset', { merchantId: stranger.merchantId }), 'setting_refused')
  const { merchantId, bucket } = developer
  const dropped = await developer.call('dashboard.sandbox.reset', { merchantId })
  assert.deepEqual([dropped.cards, dropped.isComplete, dropped.rows > 5], [1, true, true])
  assert.equal(await shop.expectError('cards.check', { token: mine }), 'card_not_found')
  assert.deepEqual(await developer.call('dashboard.cards.list', {}), { cards: [], next: null })
  assert.deepEqual((await developer.call('dashboard.receipts.list', {})).receipts, [])
  assert.deepEqual((await developer.call('dashboard.verification.inbox', {})).messages, [])
  assert.equal((await stranger.call('cards.check', { token: theirs })).card.verify, true)
  const removed = (await app.store.read(listAuditOfSubject(merchantId, mine.slice(0, 24), 20))).find(
    ({ action }) => action === 'card.removed',
  )
  assert.deepEqual([removed?.outcome, removed?.actor], ['reset', `user:${developer.userId}`])
  const entries = await app.store.read(listAuditOfSubject(merchantId, merchantId, 20))
  assert.deepEqual(
    entries
      .filter(({ action }) => action === 'sandbox.reset')
      .map(({ outcome }) => outcome)
      .toSorted(),
    ['done', 'requested'],
  )
  assert.equal(await app.store.write(deleteTestData, { bucket, merchantId }), 0)
  assert.deepEqual((await app.verifyAudit()).findings, [])
})

test('production has no sandbox controls: each operation is refused to every caller', async (t) => {
  const live = await createTestApp(t, { environment: 'production' })
  const owner = await createDashboardClient(live).user('owner')
  assert.equal(live.controls, null)
  for (const [method, params] of [
    ['dashboard.sandbox.get', {}],
    ['dashboard.sandbox.setStep', { scenario: 'cards.verify', step: 'card_blocked' }],
    ['dashboard.sandbox.setLimits', { on: false }],
    ['dashboard.sandbox.moveClock', { offsetMs: 1000 }],
    ['dashboard.sandbox.restore', {}],
    ['dashboard.sandbox.reset', { merchantId: owner.merchantId }],
  ] as const) {
    assert.equal((await owner.callRaw(method, params)).error?.reason, 'test_only', method)
  }
})
