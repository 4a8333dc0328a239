import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'
import { hostedOrigin } from '../../testing/default-config.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import { successPan } from '../../testing/receipts.fixture.ts'
import type { WithStore } from '../../store/suite/opened.fixture.ts'

/** What becomes of form sessions when somebody writes their rows, on a store. */
export function formSessionsSuite(withStore: WithStore): void {
  const withHouse = (run: (app: TestApp, raw: (text: string) => Promise<unknown>) => Promise<void>) =>
    withStore(async ({ store, raw }) => {
      const app = await createTestApp({ after }, { store })
      try {
        await run(app, raw)
      } finally {
        await app.close()
      }
    })

  test(
    'a session with a tampered row accepts no card, discloses nothing, and raises the alarm',
    withHouse(async (app, raw) => {
      const columns: [column: string, value: string][] = [
        ['customer', `'"somebody else"'`],
        ['save', `'off'`],
        ['attempts_left', '10'],
        ['origin', `'https://evil.example'`],
        ['locale', `'ru'`],
        ['created_at', 'created_at - 1'],
        ['ends_at', 'ends_at + 60000'],
        ['return_to', `'https://evil.example/'`],
        ['cancelled_at', '1'],
      ]
      for (const [column, value] of columns) {
        const merchant = app.merchant()
        const session = await open(merchant)
        await raw(`update form_sessions set ${column} = ${value} where session_id = '${session.slice(0, 24)}'`)
        app.alarms.length = 0
        for (const method of ['form.sessions.get', 'form.sessions.show', 'form.sessions.cancel'] as const) {
          await assert.rejects(merchant.callRaw(method, { session }), { name: 'RowTampered' }, `${method} ${column}`)
          // A row is logged once a minute.
          app.clock.advance(60_000)
        }
        await assert.rejects(send(app, merchant, session), { name: 'RowTampered' }, column)
        assert.deepEqual(app.alarms, Array<string>(4).fill(`row_tampered ${merchant.merchantId}`))
      }
    }),
  )

  test(
    'a session without a MAC is refused like one with a wrong MAC',
    withHouse(async (app, raw) => {
      const merchant = app.merchant()
      const session = await open(merchant)
      await raw('update form_sessions set mac = substr(mac, 1, 0)')
      await assert.rejects(merchant.callRaw('form.sessions.get', { session }), { name: 'RowTampered' })
      assert.deepEqual(app.alarms, [`row_tampered ${merchant.merchantId}`])
    }),
  )

  test(
    'concurrent cards use at most the attempts of a session, and its row keeps a valid MAC',
    withHouse(async (app) => {
      const merchant = app.merchant()
      const session = await open(merchant)
      const made = await Promise.all(Array.from({ length: 12 }, () => send(app, merchant, session)))
      assert.equal(made.filter((reply) => 'card' in reply).length, 3)
      assert.equal(made.filter((reply) => reasonOf(reply) === 'session_used_up').length, 9)
      assert.equal((await merchant.call('form.sessions.get', { session })).state, 'open')
      assert.equal((await merchant.call('form.sessions.cancel', { session })).state, 'cancelled')
      assert.equal((await merchant.call('form.sessions.cancel', { session })).state, 'cancelled')
      assert.equal(reasonOf(await send(app, merchant, session)), 'session_ended')
      assert.deepEqual(app.alarms, [])
    }),
  )
}

async function open(merchant: TestMerchant): Promise<string> {
  const params = { origin: 'https://shop.example', customer: 'c-1', save: 'ask', return: 'https://shop.example/back' } as const
  return (await merchant.call('form.sessions.create', params)).session
}

/** A card as the hosted page sends it. */
async function send(app: TestApp, merchant: TestMerchant, session: string): Promise<object> {
  const form = await app.formDocuments.issue(merchant.merchantId, hostedOrigin)
  return merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, form, session }, successPan)
}

function reasonOf(reply: object): unknown {
  return (reply as { error?: { reason: string } }).error?.reason
}
