import assert from 'node:assert/strict'

import type { OperationName } from '@tessera/contract/operations'

import { request } from '../testing/pipeline.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import type { TestApp } from '../testing/test-app.fixture.ts'

/** Counts what a call does: notes what there is before, runs it, and takes the difference. */
export type CountCall = (name: string, call: () => Promise<void>) => Promise<void>

/** A merchant that makes the calls whose work the page of benchmarks lists. */
export interface MeasuredCaller {
  /** Makes each call once, a card's and two receipts' whole way. `count` gets its name, and runs it exactly once. */
  callEach(count: CountCall): Promise<void>
}

/** Registers the merchant. */
export async function openMeasuredCaller(app: Pick<TestApp, 'app' | 'merchants'>): Promise<MeasuredCaller> {
  const merchantId = 'a'.repeat(24)
  const password = 'a password of the API, as long as one'
  await app.merchants.ensureMerchant({ id: merchantId, name: 'A shop', password })
  const xAuth = `${merchantId}:${password}`
  let rounds = 0
  return {
    async callEach(count) {
      rounds++
      const call = async (method: OperationName, params: object, key: string | null = null): Promise<unknown> => {
        const idempotencyKey = key === null ? null : { key }
        const message = request({ jsonrpc: '2.0', id: 1, method, params }, { xAuth, segment: method, idempotencyKey })
        let text = ''
        await count(key === null ? method : `${method}, keyed`, async () => {
          text = (await app.app.handle(message)).text
        })
        const reply = JSON.parse(text) as { readonly result?: unknown }
        assert.ok(reply.result !== undefined, text)
        return reply.result
      }
      const createReceipt = async (orderId: string): Promise<string> => {
        const created = await call('receipts.create', { amount: 500_000, account: { order_id: orderId } })
        return (created as { receipt: { _id: string } }).receipt._id
      }
      const created = await call('cards.create', { card: { number: successPan, expire: '0399' }, save: true })
      const { token } = (created as { card: { token: string } }).card
      await call('cards.get_verify_code', { token })
      await call('cards.verify', { token, code: '666666' })
      await call('cards.check', { token })
      const id = await createReceipt('197')
      await call('receipts.pay', { id, token })
      const next = await createReceipt('198')
      await call('receipts.pay', { id: next, token }, `key-${String(rounds)}`)
      await call('receipts.check', { id })
      await call('receipts.get', { id })
      await call('cards.remove', { token })
    },
  }
}
