import assert from 'node:assert/strict'
import { cardRoutes } from '@tessera/contract/route'
import type { ErrorBody } from '@tessera/contract/errors'
import type { DashboardMethodName, Params, Result, Role } from '@tessera/contract/methods'
import { bucketOf } from '@tessera/vault/id'

import type { House } from '../methods/compose.fixture.ts'
import { randomHex } from '../methods/drawn.fixture.ts'
import { makeRoad, type Answer } from '../rpc/answer.ts'
import { noLimits } from '../rpc/limits.ts'

import { makeDashboardGate } from './gate.ts'

/** Somebody at the dashboard's door, with the cookie that the door gave; signed in or not. */
export interface Person {
  readonly merchantId: string
  readonly bucket: number
  userId: string
  phone: string
  password: string
  cookie: string | null
  csrf: string | null
  /** The result, or the `error` member. */
  call(method: DashboardMethodName, params: object): Promise<{ result?: unknown; error?: ErrorBody }>
  expect<M extends DashboardMethodName>(method: M, params: Params<M>): Promise<Result<M>>
  /** The error's `reason`. */
  refused<M extends DashboardMethodName>(method: M, params: Params<M>): Promise<string>
  signIn(code?: string): Promise<string | null>
}

export interface Entrance {
  /** A stranger of a merchant, with no login. */
  visitor(merchantId?: string): Person
  /** A user with a role, made by the operator, with a password of its own, signed in. */
  user(role: Role, merchantId?: string): Promise<Person>
}

/** The dashboard's door of a house, past HTTP: what the gate, the methods and the nouns say. */
export function openEntrance(house: House): Entrance {
  const answer = makeRoad(
    {
      ...{ grid: house.grid, limits: noLimits, routes: cardRoutes, translate: () => null, now: () => 0 },
      idempotency: { once: async () => assert.fail('the dashboard takes no keys') },
      journal: { called: () => undefined, failed: ({ cause }) => house.alarms.push(`failed ${String(cause)}`) },
      issueRequestId: () => randomHex(24),
      sleep: () => new Promise(() => undefined),
      ...{ stopping: new AbortController().signal, signal: new AbortController().signal },
    },
    makeDashboardGate(house.dashboard.sessions),
  )
  const visitor = (merchantId = randomHex(24)) => makePerson(answer, merchantId)
  return {
    visitor,
    async user(role, merchantId) {
      const person = visitor(merchantId)
      await house.merchants.ensureMerchant({ id: person.merchantId, name: 'A shop', password: 'a password of the API, as long as one' })
      person.phone = `998${String(++phones).padStart(9, '0')}`
      person.password = 'correct horse battery'
      const login = { merchantId: person.merchantId, phone: person.phone, role, password: person.password }
      person.userId = (await house.dashboard.users.create(login, { actor: 'operator', requestId: '' })).userId
      assert.equal(await person.signIn(), null)
      return person
    },
  }
}

let phones = 0

function makePerson(answer: Answer, merchantId: string): Person {
  const person: Person = {
    ...{ merchantId, bucket: bucketOf(merchantId), userId: '', phone: '998000000000', password: '', cookie: null, csrf: null },
    async call(method, params) {
      const reply = await answer({
        ...{ refusal: null, segment: null, hasQuery: false, xAuth: null, origin: null, isFromBrowser: true, idempotencyKey: null },
        ...{ acceptLanguage: undefined, address: '192.0.2.7' },
        body: Buffer.from(JSON.stringify({ id: 1, method, params })),
        visitor: { cookie: person.cookie, csrf: person.csrf, userAgent: 'Browser/1', keepCookie: (session) => (person.cookie = session) },
      })
      return JSON.parse(reply.text) as { result?: unknown; error?: ErrorBody }
    },
    async expect<M extends DashboardMethodName>(method: M, params: Params<M>) {
      const { result, error } = await person.call(method, params)
      assert.equal(error, undefined, `${method} was refused: ${String(error?.reason)}`)
      return result as Result<M>
    },
    async refused(method, params) {
      return (await person.call(method, params)).error?.reason ?? assert.fail(`${method} was not refused`)
    },
    async signIn(code) {
      const { phone, password } = person
      const { needs } = await person.expect('dashboard.session.signIn', { phone, password, ...(code === undefined ? {} : { code }) })
      if (needs === null) person.csrf = (await person.expect('dashboard.session.get', {})).session?.csrf ?? null
      return needs
    },
  }
  return person
}
