import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'

import { listFlaggedReceipts } from '../store/receipts.ts'
import type { WithStore } from '../store/suite/opened.fixture.ts'
import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'
import { policiesWith } from '../testing/policies.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { randomHex } from '../testing/random.fixture.ts'
import { operatorActor } from '../testing/request-context.fixture.ts'
import { payHold } from './bound-rows.fixture.ts'
import { behind, hasAlarm } from './bound-rows.suite.ts'
import type { ParsedPage } from './page-check/parsed-page.ts'

/** What was done to the first version by writing its database (docs/decisions/0035-bound-rows.md), each with its control. */
export function databaseWriterSuite(withStore: WithStore, dialect: 'sqlite' | 'postgres'): void {
  test(
    'a sign-in that was turned to the owner of another merchant, or made endless, is signed out with an alarm',
    behind(withStore, dialect, async ({ app, raw }) => {
      const victim = await createDashboardClient(app).user('owner')
      for (const change of [
        `user_id = '${victim.userId}', merchant_id = '${victim.merchantId}'`,
        'last_seen_at = 4000000000000, created_at = 4000000000000',
      ]) {
        const thief = await createDashboardClient(app).user('read')
        assert.equal((await thief.callRaw('dashboard.cards.list', {})).error, undefined, 'the control')
        app.alarms.length = 0
        await raw(`update dashboard_sessions set ${change} where user_id = '${thief.userId}' returning 1 as one`)
        assert.equal((await thief.callRaw('dashboard.cards.list', {})).error?.reason, 'signed_out')
        assert.ok(hasAlarm(app.alarms))
      }
      assert.equal((await victim.callRaw('dashboard.cards.list', {})).error, undefined)
    }),
  )

  test(
    'a refund does not go to the authorization of another card, other receipts are not held up, and it goes on when the row is repaired',
    behind(withStore, dialect, async ({ app, raw }) => {
      const [own, other, third] = [app.merchant(), app.merchant(), app.merchant()]
      const [id, otherId, thirdId] = [await payHold(own), await payHold(other), await payHold(third)]
      const refOf = async (receiptId: string) =>
        String((await raw(`select network_ref from operations where receipt_id = '${receiptId}'`))[0]?.['network_ref'])
      const [ref, otherRef] = [await refOf(id), await refOf(otherId)]
      assert.notEqual(ref, otherRef)
      const pointTo = (networkRef: string) =>
        raw(`update operations set network_ref = '${networkRef}' where receipt_id = '${id}' and kind = 'hold' returning 1 as one`)
      await own.call('receipts.get', { id })
      await pointTo(otherRef)
      assert.equal(await own.expectError('receipts.cancel', { id }), 'internal_error')
      await pointTo(ref)
      await own.call('receipts.cancel', { id })
      await third.call('receipts.cancel', { id: thirdId })
      await pointTo(otherRef)
      app.alarms.length = 0
      // A row is logged once a minute, and this one was refused before.
      app.clock.advance(60_000)
      await app.receiptWorker.runOnce()
      assert.ok(hasAlarm(app.alarms))
      const stateOf = async (receiptId: string) =>
        Number((await raw(`select state from receipts where receipt_id = '${receiptId}'`))[0]?.['state'])
      assert.deepEqual([await stateOf(id), await stateOf(otherId), await stateOf(thirdId)], [21, 5, 50])
      const movements = () =>
        raw(`select kind from sandbox_ledger where network_ref in ('${JSON.parse(ref)}', '${JSON.parse(otherRef)}') and kind <> 'hold'`)
      assert.deepEqual(await movements(), [])

      await pointTo(ref)
      app.clock.advance(61_000)
      await app.receiptWorker.runOnce()
      assert.deepEqual([await stateOf(id), await stateOf(otherId)], [50, 5])
    }),
  )

  test(
    'receipts with a tampered operation are flagged and tried less and less often, so that they do not take the places of others',
    behind(withStore, dialect, async ({ app, raw }) => {
      const merchant = app.merchant()
      const [id, otherId] = [await payHold(merchant), await payHold(merchant)]
      await merchant.call('receipts.cancel', { id })
      await raw(`update operations set amount_tiyin = amount_tiyin + 1 where receipt_id = '${id}' and kind = 'hold' returning 1 as one`)
      const rowOf = async (receiptId: string) =>
        (await raw(`select due_at, flagged, state from receipts where receipt_id = '${receiptId}'`))[0]
      const waits: number[] = []
      for (let round = 0; round < 9; round++) {
        await app.receiptWorker.runOnce()
        const row = await rowOf(id)
        assert.deepEqual([Number(row?.['flagged']), Number(row?.['state'])], [1, 21])
        waits.push(Number(row?.['due_at']) - app.clock.now())
        app.clock.advance(waits.at(-1) ?? 0)
      }
      assert.deepEqual(
        waits.map((wait) => wait / 60_000),
        [1, 2, 4, 8, 16, 32, 60, 60, 60],
      )
      const flagged = await app.store.read(listFlaggedReceipts(100, ''))
      assert.ok(
        flagged.some(({ receiptId }) => receiptId === id),
        'tessera receipts list --flagged',
      )
      await merchant.call('receipts.cancel', { id: otherId })
      await app.receiptWorker.runOnce()
      assert.equal(Number((await rowOf(otherId))?.['state']), 50)
      await raw(`update operations set amount_tiyin = amount_tiyin - 1 where receipt_id = '${id}' and kind = 'hold' returning 1 as one`)
      app.clock.advance(3_600_000)
      await app.receiptWorker.runOnce()
      const repaired = await rowOf(id)
      assert.deepEqual([Number(repaired?.['flagged']), Number(repaired?.['state'])], [0, 50])
    }),
  )

  test(
    'a receipt whose current operation was deleted moves no money and raises the alarm',
    behind(withStore, dialect, async ({ app, raw }) => {
      const merchant = app.merchant()
      const [id, control] = [await payHold(merchant), await payHold(merchant)]
      await raw(`delete from operations where receipt_id = '${id}' returning 1 as one`)
      assert.equal(await merchant.expectError('receipts.confirm_hold', { id }), 'internal_error')
      assert.ok(hasAlarm(app.alarms))
      await merchant.call('receipts.confirm_hold', { id: control })
    }),
  )

  test(
    'an event that somebody inserted is not signed or sent, with an alarm, and the events of others are',
    behind(withStore, dialect, async ({ app, raw, receiver }) => {
      const [victim, other] = [app.merchant(), app.merchant()]
      for (const { merchantId } of [victim, other]) {
        await app.merchants.ensureMerchant({ id: merchantId, name: 'A shop', password: 'a password of the API, as long as one' })
        if ((await app.endpoints.add(merchantId, receiver.url, operatorActor)) instanceof SettingProblem) assert.fail('no endpoint')
      }
      await victim.createVerifiedToken(successPan)
      const token = await other.createVerifiedToken(successPan)
      const forged = 'f'.repeat(24)
      const [event] = await raw(`select * from outbox where merchant_id = '${victim.merchantId}'`)
      assert.ok(event !== undefined)
      await raw(`insert into outbox (bucket, event_id, merchant_id, object_id, position, type, at, body, mac)
        select bucket, '${forged}', merchant_id, '${forged}', position, 'receipt.paid', at, '{"type":"receipt.paid"}', mac
        from outbox where event_id = '${String(event['event_id'])}' returning 1 as one`)
      await raw(`insert into deliveries
        (bucket, endpoint_id, event_id, merchant_id, object_id, position, state, tries, attempts, due_at, claim_id, made_at, settled_at)
        select bucket, endpoint_id, '${forged}', merchant_id, '${forged}', position, 'waiting', 0, 0, due_at, '', made_at, 0
        from deliveries where event_id = '${String(event['event_id'])}' returning 1 as one`)
      await app.webhooks.runOnce()
      await app.webhooks.idle()
      assert.ok(hasAlarm(app.alarms))
      assert.equal(receiver.heard.filter(({ id }) => id === forged).length, 0)
      assert.equal(receiver.heard.filter(({ body }) => body.includes(token.slice(0, 24))).length, 1)
      assert.equal(receiver.heard.length, 2, 'the authentic events')
      assert.deepEqual(
        (await app.endpoints.dead(victim.merchantId, 9)).map(({ eventId }) => eventId),
        [forged],
      )
    }),
  )

  test(
    'a delivery that somebody inserted for the event of another object, or of another merchant, sends nothing',
    behind(withStore, dialect, async ({ app, raw, receiver }) => {
      const [one, other] = [app.merchant(), app.merchant()]
      for (const { merchantId } of [one, other]) {
        await app.merchants.ensureMerchant({ id: merchantId, name: 'A shop', password: 'a password of the API, as long as one' })
        if ((await app.endpoints.add(merchantId, receiver.url, operatorActor)) instanceof SettingProblem) assert.fail('no endpoint')
        await app.merchant('spec', merchantId).createVerifiedToken(successPan)
      }
      await app.webhooks.runOnce()
      await app.webhooks.idle()
      assert.equal(receiver.heard.length, 2)
      const insert = (endpointOf: string, objectId: string) =>
        raw(`insert into deliveries
          (bucket, endpoint_id, event_id, merchant_id, object_id, position, state, tries, attempts, due_at, claim_id, made_at, settled_at)
          select o.bucket, (select e.endpoint_id from webhook_endpoints e where e.merchant_id = '${endpointOf}'), o.event_id, o.merchant_id,
            '${objectId}', 99, 'waiting', 0, 0, o.at, '', o.at, 0 from outbox o where o.merchant_id = '${one.merchantId}' returning 1 as one`)
      await insert(other.merchantId, 'e'.repeat(24))
      await raw(`delete from deliveries where merchant_id = '${one.merchantId}' and state = 'delivered' returning 1 as one`)
      await insert(one.merchantId, 'e'.repeat(24))
      await app.webhooks.runOnce()
      await app.webhooks.idle()
      assert.equal(receiver.heard.length, 2)
      assert.ok(hasAlarm(app.alarms))
    }),
  )

  test(
    'the attempt of another card, put in the place of its own, verifies no card',
    behind(withStore, dialect, async ({ app, raw }) => {
      const [thief, victim] = [app.merchant(), app.merchant()]
      const ownToken = await thief.createToken(successPan)
      const token = await victim.createToken(successPan)
      await thief.call('cards.get_verify_code', { token: ownToken })
      await victim.call('cards.get_verify_code', { token })
      const columns =
        'attempt_id, otp_hash, otp_key_id, sent_by, phone_mask, network_ref, outcome, tries, asked_wall, asked_mono, asked_boot, open, mac'
      await raw(`delete from verifications where card_id = '${token.slice(0, 24)}' returning 1 as one`)
      await raw(`insert into verifications (bucket, card_id, merchant_id, ${columns})
        select ${victim.bucket}, '${token.slice(0, 24)}', '${victim.merchantId}', ${columns} from verifications
        where card_id = '${ownToken.slice(0, 24)}' returning 1 as one`)
      assert.equal(await victim.expectError('cards.verify', { token, code: '666666' }), 'internal_error')
      assert.ok(hasAlarm(app.alarms))
      assert.equal((await victim.call('cards.check', { token })).card.verify, false)
      await thief.call('cards.verify', { token: ownToken, code: '666666' })
    }),
  )

  for (const [what, reset] of [
    [
      'reset',
      (of: string) => [
        `update verifications set tries = 0, open = 1 where ${of} returning 1 as one`,
        'delete from day_tries where 1 = 1 returning 1 as one',
      ],
    ],
    [
      'set below zero',
      (of: string) => [
        `update verifications set tries = -1000, open = 1 where ${of} returning 1 as one`,
        'delete from day_tries where 1 = 1 returning 1 as one',
      ],
    ],
  ] as const)
    test(
      `of 100 wrong codes five are evaluated although the counters are ${what} before each`,
      behind(withStore, dialect, async ({ app, raw }) => {
        const merchant = app.merchant()
        const token = await merchant.createToken(successPan)
        await merchant.call('cards.get_verify_code', { token })
        const of = `card_id = '${token.slice(0, 24)}'`
        const reasons: string[] = []
        app.alarms.length = 0
        for (let guess = 0; guess < 100; guess++) {
          for (const statement of reset(of)) await raw(statement)
          reasons.push(await merchant.expectError('cards.verify', { token, code: String(100_000 + guess) }))
        }
        assert.equal(reasons.filter((reason) => reason === 'wrong_code').length, 5)
        assert.equal(reasons.filter((reason) => reason === 'tries_used_up').length, 95)
        assert.ok(app.alarms.includes(`row_tampered ${token.slice(0, 24)}`))
        const evaluated = await raw(`select seq from audit where subject = '${token.slice(0, 24)}' and action = 'code.attempted'`)
        assert.equal(evaluated.length, 5)
        for (const statement of reset(of)) await raw(statement)
        assert.equal(await merchant.expectError('cards.verify', { token, code: '666666' }), 'tries_used_up', 'not even the right one')
      }),
    )

  test(
    'after a reset of the counted sends no more codes are sent to a card number than before, with an alarm',
    behind(
      withStore,
      dialect,
      async ({ app, raw }) => {
        const merchant = app.merchant()
        const send = async (pan: string) => {
          const reply = await merchant.callRaw('cards.get_verify_code', { token: await merchant.createToken(pan) })
          return 'error' in reply ? reply.error.reason : 'sent'
        }
        assert.deepEqual([await send(successPan), await send(successPan)], ['sent', 'send_limit_card'], 'the control: the store counts')
        assert.ok(!hasAlarm(app.alarms))
        await raw('delete from send_limits where 1 = 1 returning 1 as one')
        assert.equal(await send(successPan), 'send_limit_card')
        assert.ok(hasAlarm(app.alarms))
        app.clock.advance(60_000)
        assert.equal(await send(successPan), 'sent')
        // A code of the service goes to the phone of another card, which has sent none.
        assert.equal(await send(ownCodePan), 'sent')
        app.alarms.length = 0
        app.clock.advance(60_000)
        await raw('delete from send_limits where 1 = 1 returning 1 as one')
        const outcomes: string[] = []
        for (let minute = 0; minute < 20; minute++) {
          await raw('delete from send_limits where 1 = 1 returning 1 as one')
          app.clock.advance(60_000)
          outcomes.push(await send(ownCodePan))
        }
        assert.equal(outcomes.filter((outcome) => outcome === 'sent').length, 4, 'five a day')
        assert.ok(hasAlarm(app.alarms))
      },
      { verification: { limits: true } },
    ),
  )

  test(
    'after a reset of the counted wrong codes of all cards no code is evaluated beyond the limit of an hour, with an alarm',
    behind(
      withStore,
      dialect,
      async ({ app, raw }) => {
        const merchant = app.merchant()
        const guess = async () => {
          const token = await merchant.createToken(successPan)
          await merchant.call('cards.get_verify_code', { token })
          return merchant.expectError('cards.verify', { token, code: '000000' })
        }
        const reasons: string[] = []
        for (let turn = 0; turn < 6; turn++) {
          reasons.push(await guess())
          await raw('delete from send_limits where 1 = 1 returning 1 as one')
          if (turn === 3) {
            assert.ok(!hasAlarm(app.alarms), 'the control: the store counts')
            await raw('delete from day_tries where 1 = 1 returning 1 as one')
          }
          app.clock.advance(60_000)
        }
        assert.deepEqual(reasons, [...Array<string>(3).fill('wrong_code'), ...Array<string>(3).fill('wrong_code_limit')])
        assert.ok(hasAlarm(app.alarms))
        app.clock.advance(3_900_000)
        assert.equal(await guess(), 'wrong_code')
      },
      { verification: { limits: true, maxWrongCodesPerHour: 3, policies: policiesWith({ sendWindows: [] }), cardDayAttemptsMax: 100 } },
    ),
  )

  test(
    'after a reset of the counted attempts of a card number and day no more codes are evaluated, with an alarm',
    behind(
      withStore,
      dialect,
      async ({ app, raw }) => {
        const merchant = app.merchant()
        const reasons: string[] = []
        for (let turn = 0; turn < 4; turn++) {
          const token = await merchant.createToken(successPan)
          await merchant.call('cards.get_verify_code', { token })
          if (turn === 2) assert.ok(!hasAlarm(app.alarms))
          if (turn === 2) await raw('delete from day_tries where 1 = 1 returning 1 as one')
          reasons.push(await merchant.expectError('cards.verify', { token, code: '000000' }))
        }
        assert.deepEqual(reasons, ['wrong_code', 'wrong_code', ...Array<string>(2).fill('card_day_tries_used_up')])
        assert.ok(hasAlarm(app.alarms))
      },
      { verification: { limits: true, policies: policiesWith({ sendWindows: [] }), cardDayAttemptsMax: 2 } },
    ),
  )

  test(
    'a text that somebody stored under its own hash is not one that cardholders agreed to',
    behind(withStore, dialect, async ({ app, raw }) => {
      const [today] = app.disclosures.today
      assert.ok(today !== undefined)
      await app.disclosures.requireIssued(today)
      assert.notEqual(await app.disclosures.find(today), null)
      const sha256 = 'ab'.repeat(32)
      await raw(`insert into disclosures (sha256, version, locale, wording, first_used_at, last_used_at, mac)
        select '${sha256}', version, locale, '"We sell your data"', first_used_at, last_used_at, mac from disclosures
        where sha256 = '${today.sha256}' and locale = '${JSON.stringify(today.locale)}' returning 1 as one`)
      await assert.rejects(app.disclosures.requireIssued({ ...today, sha256 }), /consentUnknown/)
      assert.ok(hasAlarm(app.alarms))
    }),
  )

  test(
    'a script whose review somebody changed is listed as not reviewed, with an alarm, and the next check of its page writes it anew',
    behind(
      withStore,
      dialect,
      async ({ app, raw }) => {
        const of = app.merchant()
        const by = { userId: randomHex(24), requestId: '', address: '127.0.0.1' }
        const check = () => app.pageCheck.run(of, { html: '<html></html>' }, by, new AbortController().signal)
        const listed = async () =>
          (await app.pageCheck.scripts(of)).map(({ decision, isChanged, isGone, reason }) => [decision, isChanged, isGone, reason])
        const scriptIdOf = async () => (await app.pageCheck.scripts(of))[0]?.scriptId ?? assert.fail()
        await check()
        assert.deepEqual(await listed(), [['open', false, false, '']])
        for (const change of [
          `judged = 'authorised', reason = '"forged"', judged_print = print, judged_by = '${by.userId}', judged_at = 1`,
          `judged = 'never written'`,
          `party = 'never written'`,
          `reason = 'not JSON'`,
          `page = '"https://nowhere.example/"'`,
        ]) {
          app.alarms.length = 0
          app.clock.advance(61_000)
          await raw(`update page_scripts set ${change} where merchant_id = '${of.merchantId}' returning 1 as one`)
          assert.deepEqual(await listed(), [['open', true, false, '']], change)
          assert.ok(hasAlarm(app.alarms), change)
          const scriptId = await scriptIdOf()
          const review = { scriptId, fingerprint: 'p', decision: 'authorised', reason: 'pays' } as const
          await assert.rejects(app.pageCheck.review(of, review, by), /scriptChanged/)
          await check()
          assert.deepEqual(await listed(), [['open', false, false, '']], 'as after the first check')
          await app.pageCheck.review(of, review, by)
          assert.deepEqual(await listed(), [['authorised', false, false, 'pays']], 'the control')
          await check()
          assert.deepEqual(await listed(), [['authorised', false, false, 'pays']], 'a check keeps the review')
        }
      },
      { pageCheck: { parse: () => Promise.resolve(parsedPage), fetchPage: () => assert.fail() } },
    ),
  )
}

/** The service sends the code of this test card. */
const ownCodePan = '8600495473316478'

/** A page with one script. */
const parsedPage: ParsedPage = {
  findings: [],
  scripts: [{ name: 'pay.js', address: 'https://shop.example/pay.js', fingerprint: 'p', integrity: '', party: 'first' }],
  isCut: false,
}
