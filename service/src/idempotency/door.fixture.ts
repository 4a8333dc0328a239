import assert from 'node:assert/strict'

import type { ErrorBody } from '@tessera/contract/errors'

import type { House } from '../methods/compose.fixture.ts'
import { randomHex } from '../methods/drawn.fixture.ts'
import { makeAnswer, type Answer } from '../rpc/answer.ts'
import { noLimits } from '../rpc/limits.ts'
import { noThrottle } from '../rpc/password-throttle.ts'
import type { HttpRequest } from '../rpc/request.ts'
import { demoMerchant } from '../sandbox/demo.ts'

import { idempotencyFigures } from './figures.ts'
import { makeIdempotency, type Idempotency } from './idempotency.ts'

/** The way in, from the bytes of a request to the bytes of its reply, for two merchants. */
export interface KeyedDoor {
  readonly idempotency: Idempotency
  readonly answer: Answer
  /** Posts one call and gives the reply whole. */
  post(method: string, params: object, how?: How): Promise<Reply>
  /** The `result` of a call that has to succeed. */
  result(method: string, params: object, how?: How): Promise<Result>
  /** The `error` of a call that has to fail. */
  error(method: string, params: object, how?: How): Promise<ErrorBody>
  /** A verified token of the demo merchant. */
  verified(pan: string, save?: boolean): Promise<string>
}

export interface How {
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
  readonly result?: Result
  readonly error?: ErrorBody
}

export interface Result {
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

export async function openKeyedDoor(house: House): Promise<KeyedDoor> {
  const { grid, store, keyring, clock, environment, merchants } = house
  await merchants.ensureMerchant(demoMerchant)
  await merchants.ensureMerchant(otherMerchant)
  const idempotency = makeIdempotency({ store, keyring, clock, environment, figures: idempotencyFigures })
  const answer = makeAnswer({
    ...{
      grid,
      credentials: merchants,
      origins: { isAnyWelcome: true, formOrigin: null },
      limits: noLimits,
      passwords: noThrottle,
      idempotency,
      routes: [],
    },
    journal: { called: () => undefined, failed: () => undefined },
    ...{ translate: () => null, issueRequestId: () => randomHex(24), now: () => 0, sleep: clock.sleep },
    ...{ stopping: new AbortController().signal, signal: new AbortController().signal },
  })
  const door: KeyedDoor = {
    ...{ idempotency, answer },
    async post(method, params, how = {}) {
      const { text } = await answer(requestOf(method, params, how))
      return JSON.parse(text) as Reply
    },
    async result(method, params, how) {
      const { result, error } = await door.post(method, params, how)
      assert.ok(result !== undefined, `${method}: ${JSON.stringify(error)}`)
      return result
    },
    async error(method, params, how) {
      const { error } = await door.post(method, params, how)
      assert.ok(error !== undefined, `${method} was not refused`)
      return error
    },
    async verified(pan, save = true) {
      const { card } = await door.result('cards.create', { card: { number: pan, expire: '0399' }, save })
      await door.post('cards.get_verify_code', { token: card.token })
      await door.result('cards.verify', { token: card.token, code: '666666' })
      return card.token
    },
  }
  return door
}

export function requestOf(method: string, params: object, how: How = {}): HttpRequest {
  const { key = null, as = 'server', segment = method, language = 'en', id = 'q1' } = how
  return {
    ...{ refusal: null, segment, hasQuery: false, xAuth: credentials[as], origin: null, isFromBrowser: false },
    idempotencyKey: key === null ? null : { key },
    ...{ body: Buffer.from(JSON.stringify({ id, method, params })), acceptLanguage: language, address: '127.0.0.1' },
  }
}
