import assert from 'node:assert/strict'
import { test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'

import { makeCountSharing } from './count-sharing.ts'
import type { ReachedLimit } from './limit-mode.ts'
import { makeSmsGuard, type SmsGuardSettings } from './sms-guard.ts'

const minuteMs = 60_000
const settings: SmsGuardSettings = {
  countries: ['998', '7'],
  prefixMode: 'on',
  conversion: { windowMs: 60 * minuteMs, minAgeMs: 180_000, minCount: 10, maxFailurePercent: 90, openForMs: 15 * minuteMs },
  costMode: 'on',
  segmentTiyin: 100,
  maxDailyTiyin: 3000,
}

function open(more: Partial<SmsGuardSettings> = {}) {
  const clock = { now: 0 }
  const reported: ReachedLimit[] = []
  const guard = makeSmsGuard({
    now: () => clock.now,
    settings: { ...settings, ...more },
    onLimitReached: (reached) => void reported.push(reached),
  })
  const refused = (phone: string, { text = 'code', isCode = true } = {}): string | null => {
    try {
      guard.checkAndCount({ merchantId: 'm', phone, text, isCode })
      return null
    } catch (err) {
      assert.ok(err instanceof RpcError)
      return err.entry
    }
  }
  return { clock, reported, guard, refused }
}

test('messages are sent only to enabled countries', () => {
  const { refused, reported } = open()
  const phones = ['998901234567', '79261234567', '992771234567', '9989', '881612345678']
  assert.deepEqual(
    phones.map((phone) => refused(phone)),
    [null, null, 'smsCountryNotServed', null, 'smsCountryNotServed'],
  )
  assert.deepEqual(
    reported.map(({ reason }) => reason),
    ['sms_country_not_served', 'sms_country_not_served'],
  )
})

test('codes to a prefix that never converts are refused; those to other prefixes and receipt messages are not', () => {
  const { clock, refused, guard } = open()
  for (let n = 0; n < 10; n++) assert.equal(refused(`99897100000${n}`), null)
  for (let n = 0; n < 10; n++) {
    assert.equal(refused(`99890100000${n}`), null)
    guard.recordConversion('99890*****66', 0, 'm')
  }
  clock.now = 9 * minuteMs
  assert.equal(refused('998971000099'), 'smsPrefixLimit')
  assert.equal(refused('998901000099'), null)
  assert.equal(refused('998971000099', { isCode: false }), null, 'messages without a code are not limited by conversion')
  clock.now += 15 * minuteMs
  assert.equal(refused('998971000099'), null)
})

test('the messages of a day cost no more than the limit, counted in billed segments', () => {
  const { clock, refused } = open()
  for (let n = 0; n < 14; n++) assert.equal(refused(`7926000000${n}`, { text: 'Ж'.repeat(71), isCode: false }), null)
  assert.equal(
    refused('79260000001', { text: 'Ж'.repeat(141), isCode: false }),
    'smsCostLimit',
    'three segments exceed the rest of the budget',
  )
  assert.equal(refused('79260000001', { text: 'Ж'.repeat(134), isCode: false }), null)
  assert.equal(refused('79260000001', { isCode: false }), 'smsCostLimit')
  clock.now = 24 * 60 * minuteMs
  assert.equal(refused('79260000001', { isCode: false }), null)
})

test('in shadow mode everything is reported and nothing refused', () => {
  const { clock, refused, reported } = open({ prefixMode: 'shadow', costMode: 'shadow', maxDailyTiyin: 1000 })
  for (let n = 0; n < 12; n++) assert.equal(refused(`99897100000${n}`), null)
  clock.now = 9 * minuteMs
  assert.equal(refused('998971000099'), null)
  assert.deepEqual(
    reported.map(({ reason, mode }) => `${reason} ${mode}`),
    ['sms_cost_limit shadow', 'sms_cost_limit shadow', 'sms_prefix_limit shadow', 'sms_cost_limit shadow'],
  )
})

test('the cost of a day is that of all workers, however unevenly they send', () => {
  const sharings: ReturnType<typeof makeCountSharing>[] = []
  const open = () => {
    const sharing = makeCountSharing({
      send: (batch) => sharings.filter((each) => each !== sharing).forEach((each) => each.receive(batch)),
      later: (run) => run(),
    })
    sharings.push(sharing)
    const guard = makeSmsGuard({ now: () => 0, settings: { ...settings, prefixMode: 'off' }, onLimitReached: () => undefined, sharing })
    return () => guard.checkAndCount({ merchantId: 'm', phone: '998901234567', text: 'code', isCode: true })
  }
  const [busy, quiet] = [open(), open()]
  for (let sent = 0; sent < 29; sent++) busy()
  quiet()
  assert.throws(busy, RpcError)
  assert.throws(quiet, RpcError)
})
