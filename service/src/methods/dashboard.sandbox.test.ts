import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { checkAudit } from '../audit/check.ts'
import { makeCardMac } from '../cards/mac.ts'
import { openControls } from '../dashboard/controls.ts'
import { openEntrance } from '../dashboard/visitor.fixture.ts'
import { makeMerchantMac } from '../merchants/mac.ts'
import { makeReceiptMac } from '../receipts/row.ts'

import { compose, type House } from './compose.fixture.ts'

const house = await compose()
const entrance = openEntrance(house)
after(() => house.close())

const success = '8600069195406311'
const weSend = '8600495473316478'
const blocked = '4444445987459073'

async function alone(use: (other: House) => Promise<void>): Promise<void> {
  const other = await compose()
  try {
    await use(other)
  } finally {
    await other.close()
  }
}

test('a fault of a method holds from the next call on, for its merchant alone, until all is back to normal', async () => {
  const developer = await entrance.user('developer')
  const shop = house.caller('spec', developer.merchantId)
  const stranger = house.caller()
  const [token, theirs] = [await shop.token(success), await stranger.token(success)]
  await developer.expect('dashboard.sandbox.setStep', { scenario: 'cards.get_verify_code', step: 'card_blocked' })
  await developer.expect('dashboard.sandbox.setStep', { scenario: 'receipts.pay', step: 'insufficient_funds' })
  assert.equal(await shop.refused('cards.get_verify_code', { token }), 'card_blocked')
  await stranger.expect('cards.get_verify_code', { token: theirs })
  await developer.expect('dashboard.sandbox.setStep', { scenario: 'cards.verify', step: 'sms_not_connected' })
  assert.equal(await shop.refused('cards.verify', { token, code: '666666' }), 'sms_not_connected')
  await stranger.expect('cards.verify', { token: theirs, code: '666666' })
  await developer.expect('dashboard.sandbox.setStep', { scenario: 'cards.verify', step: 'none' })
  await shop.expect('cards.verify', { token, code: '666666' })
  const { receipt } = await shop.expect('receipts.create', { amount: 5000, account: {} })
  assert.equal(await shop.refused('receipts.pay', { id: receipt._id, token }), 'insufficient_funds')
  const told = await developer.expect('dashboard.sandbox.get', {})
  assert.equal(told.faults.find(({ scenario }) => scenario === 'receipts.pay')?.step, 'insufficient_funds')
  assert.equal(told.changed, 2)
  await developer.expect('dashboard.sandbox.restore', {})
  assert.equal((await developer.expect('dashboard.sandbox.get', {})).changed, 0)
  await shop.expect('receipts.pay', { id: receipt._id, token })
  const actions = (await house.store.listAuditOf(developer.merchantId, developer.merchantId, 20)).map(({ actor, action, outcome }) =>
    actor === `user:${developer.userId}` ? `${action} ${outcome}` : '',
  )
  assert.ok(actions.includes('sandbox.changed receipts.pay insufficient_funds'))
  assert.ok(actions.includes('sandbox.restored done'))
})

test('an answer that is late comes when it should, and one that is lost is timed out', async () => {
  const developer = await entrance.user('developer')
  const shop = house.caller('spec', developer.merchantId)
  const token = await shop.token(success)
  await developer.expect('dashboard.sandbox.setStep', { scenario: 'cards.get_verify_code', step: 'late_3' })
  const asked = shop.expect('cards.get_verify_code', { token })
  await house.clock.untilSleeping(3000)
  house.clock.advance(3000)
  assert.equal((await asked).sent, true)
  await developer.expect('dashboard.sandbox.setStep', { scenario: 'cards.verify', step: 'lose_answer' })
  for (const pan of [success, weSend]) {
    const lost = await shop.token(pan)
    await developer.expect('dashboard.sandbox.setStep', { scenario: 'cards.get_verify_code', step: 'none' })
    await shop.expect('cards.get_verify_code', { token: lost })
    const answered = shop.refused('cards.verify', { token: lost, code: '666666' })
    await house.clock.untilSleeping(60_000)
    house.clock.advance(12_000)
    assert.equal(await answered, 'network_timeout')
  }
})

test('what is told of a card is what the wire then says', async () => {
  const developer = await entrance.user('developer')
  const shop = house.caller('spec', developer.merchantId)
  const { cards } = await developer.expect('dashboard.sandbox.get', {})
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
    const token = await shop.token(number)
    const reply = await shop.call('cards.get_verify_code', { token })
    assert.ok('error' in reply)
    assert.deepEqual({ code: reply.error.code, reason: reply.error.reason }, atStep)
    await shop.expect('cards.verify', { token, code: '666666' })
    const { receipt } = await shop.expect('receipts.create', { amount: 5000, account: {} })
    const paid = await shop.call('receipts.pay', { id: receipt._id, token })
    assert.ok('error' in paid)
    assert.deepEqual({ code: paid.error.code, reason: paid.error.reason }, atPay)
  }
  await developer.expect('dashboard.sandbox.setStep', { scenario: 'card_blocked', step: 'create' })
  assert.equal(await shop.refused('cards.create', { card: { number: '', expire: '0399' } }, blocked), 'card_blocked')
})

test('a control that there is not, and a step that it has not, are refused by a sentence', async () => {
  const developer = await entrance.user('developer')
  for (const [scenario, step, says] of [
    ['card_lost', 'create', /A scenario is one of/],
    ['cards.verify', 'late_31', /A step of cards.verify is one of/],
    ['card_blocked', 'none', /A step of card_blocked/],
    ['limits', 'off', /A scenario is one of/],
  ] as const) {
    const { error } = await developer.call('dashboard.sandbox.setStep', { scenario, step })
    assert.equal(error?.reason, 'setting_refused')
    assert.match(typeof error.data === 'string' ? error.data : '', says)
  }
})

test('caps that are rehearsed count apart: another merchant’s codes to the same card are its own, and begun anew they are at nought', async () => {
  const [one, two] = [await entrance.user('developer'), await entrance.user('developer')]
  const [first, second] = [house.caller('spec', one.merchantId), house.caller('spec', two.merchantId)]
  const ask = async (shop: typeof first): Promise<string> => {
    const reply = await shop.call('cards.get_verify_code', { token: await shop.token(success) })
    return 'error' in reply ? reply.error.reason : 'sent'
  }
  for (const developer of [one, two]) await developer.expect('dashboard.sandbox.setLimits', { on: true })
  assert.deepEqual([await ask(first), await ask(first), await ask(second)], ['sent', 'send_limit_card', 'sent'])
  assert.equal((await one.expect('dashboard.sandbox.get', {})).limits.on, true)
  house.clock.advance(1)
  await one.expect('dashboard.sandbox.setLimits', { on: true })
  assert.equal(await ask(first), 'sent')
  await one.expect('dashboard.sandbox.setLimits', { on: false })
  assert.deepEqual([await ask(first), await ask(first)], ['sent', 'sent'])
  assert.equal(await ask(second), 'send_limit_card')
})

test('time that is moved ends codes and tokens, and taken back new ones live as ever; people stay signed in', () =>
  alone(async (other) => {
    const developer = await openEntrance(other).user('developer')
    const shop = other.caller('spec', developer.merchantId)
    const asked = async (): Promise<string> => {
      const token = await shop.token(success)
      await shop.expect('cards.get_verify_code', { token })
      return token
    }
    const move = (offsetMs: number) => developer.expect('dashboard.sandbox.moveClock', { offsetMs })
    const [young, old, older] = [await asked(), await asked(), await asked()]
    await move(170_000)
    await shop.expect('cards.verify', { token: young, code: '666666' })
    await move(180_000)
    assert.equal(await shop.refused('cards.verify', { token: old, code: '666666' }), 'code_too_old')
    await move(86_400_000)
    assert.equal(await shop.refused('cards.check', { token: older }), 'card_ended')
    assert.equal((await developer.expect('dashboard.session.get', {})).session?.clockOffsetMs, 86_400_000)
    const ahead = await asked()
    await shop.expect('cards.verify', { token: ahead, code: '666666' })
    await move(0)
    assert.equal((await developer.expect('dashboard.sandbox.get', {})).changed, 0)
    await shop.expect('cards.verify', { token: await asked(), code: '666666' })
    other.clock.advance(60_000)
    const again = await asked()
    other.clock.advance(60_000)
    await shop.expect('cards.get_verify_code', { token: again })
  }))

test('a hold lapses when the time is moved past its seven days, and not before', () =>
  alone(async (other) => {
    const developer = await openEntrance(other).user('developer')
    const shop = other.caller('spec', developer.merchantId)
    const token = await shop.verified(success)
    const { receipt } = await shop.expect('receipts.create', { amount: 5000, account: {} })
    await shop.expect('receipts.pay', { id: receipt._id, token, hold: true })
    const states: number[] = []
    for (const days of [6, 8]) {
      await developer.expect('dashboard.sandbox.moveClock', { offsetMs: days * 86_400_000 })
      for (let turn = 0; turn < 5; turn++) await other.settle.runOnce()
      states.push((await shop.expect('receipts.check', { id: receipt._id })).state)
    }
    assert.deepEqual(states, [5, 50])
  }))

test('limits that are rehearsed go on after a restart, and a step that is set is there', async () => {
  const developer = await entrance.user('developer')
  await developer.expect('dashboard.sandbox.setLimits', { on: true })
  const begun: string[] = []
  const rehearsal = {
    sinceOf: () => null,
    begin: (merchantId: string) => begun.push(merchantId) > 0,
    end: () => undefined,
  }
  const { facts } = house.controls ?? assert.fail('the house has controls')
  const mover = { offsetMs: () => 0, moveTo: () => undefined }
  await openControls({ store: house.store, clock: house.clock, facts, mover, rehearsal, offsetMaxMs: 1 })
  assert.ok(begun.includes(developer.merchantId))
  await developer.expect('dashboard.sandbox.setLimits', { on: false })
})

test('where other merchants share the environment its time is not theirs to move', async () => {
  const developer = await entrance.user('developer')
  await entrance.user('read')
  const { error } = await developer.call('dashboard.sandbox.moveClock', { offsetMs: 1000 })
  assert.equal(error?.reason, 'setting_refused')
  assert.equal((await developer.expect('dashboard.sandbox.get', {})).clock.mayMove, false)
})

test('a reset shreds each card first, drops what was rehearsed, and leaves another merchant and the audit whole', async () => {
  const developer = await entrance.user('developer')
  const shop = house.caller('spec', developer.merchantId)
  const stranger = house.caller()
  const tokens = []
  for (const merchant of [shop, stranger]) {
    const token = await merchant.verified(weSend)
    tokens.push(token)
    const { receipt } = await merchant.expect('receipts.create', { amount: 5000, account: {} })
    await merchant.expect('receipts.pay', { id: receipt._id, token })
  }
  const [mine = '', theirs = ''] = tokens
  assert.equal(await developer.refused('dashboard.sandbox.reset', { merchantId: stranger.merchantId }), 'setting_refused')
  const { merchantId, bucket } = developer
  const dropped = await developer.expect('dashboard.sandbox.reset', { merchantId })
  assert.deepEqual([dropped.cards, dropped.isWhole, dropped.rows > 5], [1, true, true])
  assert.equal(await shop.refused('cards.check', { token: mine }), 'card_not_found')
  assert.deepEqual(await developer.expect('dashboard.cards.list', {}), { cards: [], next: null })
  assert.deepEqual((await developer.expect('dashboard.receipts.list', {})).receipts, [])
  assert.deepEqual((await developer.expect('dashboard.verification.inbox', {})).messages, [])
  assert.equal((await stranger.expect('cards.check', { token: theirs })).card.verify, true)
  const removed = (await house.store.listAuditOf(merchantId, mine.slice(0, 24), 20)).find(({ action }) => action === 'card.removed')
  assert.deepEqual([removed?.outcome, removed?.actor], ['reset', `user:${developer.userId}`])
  const deeds = await house.store.listAuditOf(merchantId, merchantId, 20)
  assert.deepEqual(
    deeds
      .filter(({ action }) => action === 'sandbox.reset')
      .map(({ outcome }) => outcome)
      .toSorted(),
    ['asked', 'done'],
  )
  assert.equal(await house.store.dropRehearsed({ bucket, merchantId }), 0)
  const { keyring, environment, store } = house
  const [card, receipt, merchant] = [makeCardMac, makeReceiptMac, makeMerchantMac] as const
  const macs = { card: card(keyring, environment), receipt: receipt(keyring, environment), merchant: merchant(keyring, environment) }
  assert.deepEqual((await checkAudit({ store, macs })).findings, [])
})

test('production has no controls: each method says so, whoever asks', async () => {
  const live = await compose({ environment: 'production' })
  try {
    const owner = await openEntrance(live).user('owner')
    assert.equal(live.controls, null)
    for (const [method, params] of [
      ['dashboard.sandbox.get', {}],
      ['dashboard.sandbox.setStep', { scenario: 'cards.verify', step: 'card_blocked' }],
      ['dashboard.sandbox.setLimits', { on: false }],
      ['dashboard.sandbox.moveClock', { offsetMs: 1000 }],
      ['dashboard.sandbox.restore', {}],
      ['dashboard.sandbox.reset', { merchantId: owner.merchantId }],
    ] as const) {
      assert.equal((await owner.call(method, params)).error?.reason, 'test_only', method)
    }
  } finally {
    await live.close()
  }
})
