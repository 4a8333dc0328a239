import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Caller } from '../methods/caller.fixture.ts'
import { compose, hostedOrigin, type House } from '../methods/compose.fixture.ts'
import { successPan } from '../methods/receipts.fixture.ts'
import type { WithStore } from '../store/suite/opened.fixture.ts'

/** What becomes of form sessions when somebody writes their rows, on a store. */
export function formSessionsSuite(withStore: WithStore): void {
  const withHouse = (run: (house: House, raw: (text: string) => Promise<unknown>) => Promise<void>) =>
    withStore(async ({ store, raw }) => {
      const house = await compose({ store })
      try {
        await run(house, raw)
      } finally {
        await house.close()
      }
    })

  test(
    'a session whose row somebody else wrote takes no card, tells nothing, and its alarm is raised',
    withHouse(async (house, raw) => {
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
        const merchant = house.caller()
        const session = await open(merchant)
        await raw(`update form_sessions set ${column} = ${value} where session_id = '${session.slice(0, 24)}'`)
        house.alarms.length = 0
        for (const method of ['form.sessions.get', 'form.sessions.show', 'form.sessions.cancel'] as const)
          await assert.rejects(merchant.call(method, { session }), { name: 'RowTampered' }, `${method} ${column}`)
        await assert.rejects(send(house, merchant, session), { name: 'RowTampered' }, column)
        assert.deepEqual(house.alarms, Array<string>(4).fill(`row_tampered ${merchant.merchantId}`))
      }
    }),
  )

  test(
    'a session without a MAC, from before there were any, is not known',
    withHouse(async (house, raw) => {
      const merchant = house.caller()
      const session = await open(merchant)
      await raw('update form_sessions set mac = substr(mac, 1, 0)')
      assert.equal(await merchant.refused('form.sessions.get', { session }), 'session_unknown')
      assert.deepEqual(house.alarms, [])
    }),
  )

  test(
    'a session gives as many attempts as it has, however many cards come at once, and its row stays true',
    withHouse(async (house) => {
      const merchant = house.caller()
      const session = await open(merchant)
      const made = await Promise.all(Array.from({ length: 12 }, () => send(house, merchant, session)))
      assert.equal(made.filter((reply) => 'card' in reply).length, 3)
      assert.equal(made.filter((reply) => reasonOf(reply) === 'session_used_up').length, 9)
      assert.equal((await merchant.expect('form.sessions.get', { session })).state, 'open')
      assert.equal((await merchant.expect('form.sessions.cancel', { session })).state, 'cancelled')
      assert.equal((await merchant.expect('form.sessions.cancel', { session })).state, 'cancelled')
      assert.equal(reasonOf(await send(house, merchant, session)), 'session_ended')
      assert.deepEqual(house.alarms, [])
    }),
  )
}

async function open(merchant: Caller): Promise<string> {
  const asked = { origin: 'https://shop.example', customer: 'c-1', save: 'ask', return: 'https://shop.example/back' } as const
  return (await merchant.expect('form.sessions.create', asked)).session
}

/** A card as the hosted page sends it. */
async function send(house: House, merchant: Caller, session: string): Promise<object> {
  const form = await house.served.issue(merchant.merchantId, hostedOrigin)
  return merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, form, session }, successPan)
}

function reasonOf(reply: object): unknown {
  return (reply as { error?: { reason: string } }).error?.reason
}
