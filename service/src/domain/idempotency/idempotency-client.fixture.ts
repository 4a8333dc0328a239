import assert from 'node:assert/strict'

import type { ErrorBody } from '@tessera/contract/errors'

import type { TestApp } from '../../testing/test-app.fixture.ts'
import type { RequestHandler } from '../../server/pipeline.ts'
import type { HttpRequest } from '../../server/http/request.ts'
import { demoMerchant } from '../../adapters/sandbox/sandbox.ts'

import type { Idempotency } from './idempotency.ts'

/** The way in, from the bytes of a request to the bytes of its reply, for two merchants. */
export interface IdempotencyClient {
  readonly idempotency: Idempotency
  readonly answer: RequestHandler
  /** Posts one call and gives the reply whole. */
  post(method: string, params: object, how?: KeyedRequestOptions): Promise<Reply>
  /** The `result` of a call that has to succeed. */
  result(method: string, params: object, how?: KeyedRequestOptions): Promise<KeyedCallResult>
  /** The `error` of a call that has to fail. */
  error(method: string, params: object, how?: KeyedRequestOptions): Promise<ErrorBody>
  /** A verified token of the demo merchant. */
  verified(pan: string, save?: boolean): Promise<string>
}

export interface KeyedRequestOptions {
  /** The Idempotency-Key. */
  readonly key?: string | null
  readonly as?: 'server' | 'browser' | 'other server'
  readonly segment?: string | null
  readonly language?: string
  readonly id?: string | number
}

/** What is read of a reply; wrong shapes fail the comparison that follows. */
export interface Reply {
  readonly id: unknown
  readonly result?: KeyedCallResult
  readonly error?: ErrorBody
}

export interface KeyedCallResult {
  readonly card: { readonly token: string; readonly verify: boolean; readonly expire: string; readonly number: string }
  readonly receipt: { readonly _id: string; readonly state: number; readonly pay_time: number }
  readonly sent?: boolean
  readonly phone?: string
  readonly success?: boolean
}

export const otherMerchant = { id: '65f0c0ffee0000000000beef', name: 'Another shop', password: 'sandbox-only-password-of-another-00' }

const credentials = {
  server: `${demoMerchant.id}:${demoMerchant.password}`,
  browser: demoMerchant.id,
  'other server': `${otherMerchant.id}:${otherMerchant.password}`,
}

export async function openIdempotencyClient(app: TestApp): Promise<IdempotencyClient> {
  const { merchants, idempotency } = app
  await merchants.ensureMerchant(demoMerchant)
  await merchants.ensureMerchant(otherMerchant)
  const answer = app.app.handle
  const client: IdempotencyClient = {
    idempotency,
    answer,
    async post(method, params, how = {}) {
      const { text } = await answer(requestOf(method, params, how))
      return JSON.parse(text) as Reply
    },
    async result(method, params, how) {
      const { result, error } = await client.post(method, params, how)
      assert.ok(result !== undefined, `${method}: ${JSON.stringify(error)}`)
      return result
    },
    async error(method, params, how) {
      const { error } = await client.post(method, params, how)
      assert.ok(error !== undefined, `${method} was not refused`)
      return error
    },
    async verified(pan, save = true) {
      const { card } = await client.result('cards.create', { card: { number: pan, expire: '0399' }, save })
      await client.post('cards.get_verify_code', { token: card.token })
      await client.result('cards.verify', { token: card.token, code: '666666' })
      return card.token
    },
  }
  return client
}

export function requestOf(method: string, params: object, how: KeyedRequestOptions = {}): HttpRequest {
  const { key = null, as = 'server', segment = method, language = 'en', id = 'q1' } = how
  return {
    refusal: null,
    segment,
    hasQuery: false,
    xAuth: credentials[as],
    origin: null,
    isFromBrowser: false,
    idempotencyKey: key === null ? null : { key },
    body: Buffer.from(JSON.stringify({ id, method, params })),
    acceptLanguage: language,
    address: '127.0.0.1',
  }
}
