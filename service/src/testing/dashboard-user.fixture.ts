import assert from 'node:assert/strict'
import type { ErrorBody } from '@tessera/contract/errors'
import type { DashboardOperationName, Params, Result, Role } from '@tessera/contract/operations'
import { bucketOf } from '@tessera/vault/id'

import type { TestApp } from './test-app.fixture.ts'
import { randomHex } from './random.fixture.ts'
import type { RequestHandler } from '../server/pipeline.ts'

/** A browser at the dashboard's endpoint, with the cookie that the endpoint set; signed in or not. */
export interface DashboardUser {
  readonly merchantId: string
  readonly bucket: number
  userId: string
  phone: string
  password: string
  cookie: string | null
  /** The cookie of the known device. */
  device: string | null
  address: string
  csrf: string | null
  /** Confirms by the password when a call asks for it, as the page does after its dialog. False: the call is refused, as for a stolen session. */
  confirmsItself: boolean
  /** The result, or the `error` member. */
  callRaw(method: DashboardOperationName, params: object): Promise<{ result?: unknown; error?: ErrorBody }>
  call<M extends DashboardOperationName>(method: M, params: Params<M>): Promise<Result<M>>
  /** The error's `reason`. */
  expectError<M extends DashboardOperationName>(method: M, params: Params<M>): Promise<string>
  signIn(code?: string): Promise<string | null>
}

export interface DashboardClient {
  /** A visitor without a login. */
  visitor(merchantId?: string): DashboardUser
  /** A user with a role, created by the operator, with its own password, signed in. */
  user(role: Role, merchantId?: string): Promise<DashboardUser>
}

/** The dashboard's endpoint of an application, without HTTP. */
export function createDashboardClient(app: TestApp): DashboardClient {
  const visitor = (merchantId = randomHex(24)) => createVisitor(app.app.handleDashboard, merchantId)
  return {
    visitor,
    async user(role, merchantId) {
      const person = visitor(merchantId)
      await app.merchants.ensureMerchant({ id: person.merchantId, name: 'A shop', password: 'a password of the API, as long as one' })
      person.phone = `998${String(++phones).padStart(9, '0')}`
      person.password = 'correct horse battery'
      const login = { merchantId: person.merchantId, phone: person.phone, role, password: person.password }
      person.userId = (await app.dashboard.users.create(login, { actor: 'operator', requestId: '', address: '' })).userId
      assert.equal(await person.signIn(), null)
      return person
    },
  }
}

let phones = 0

function createVisitor(answer: RequestHandler, merchantId: string): DashboardUser {
  const person: DashboardUser = {
    merchantId,
    bucket: bucketOf(merchantId),
    userId: '',
    phone: '998000000000',
    password: '',
    cookie: null,
    device: null,
    address: '192.0.2.7',
    csrf: null,
    confirmsItself: true,
    async callRaw(method, params) {
      const reply = await callOnce(method, params)
      if (reply.error?.reason !== 'confirmation_required' || !person.confirmsItself) return reply
      const { error } = await callOnce('dashboard.session.confirm', { password: person.password })
      return error === undefined ? callOnce(method, params) : reply
    },

    async call<M extends DashboardOperationName>(method: M, params: Params<M>) {
      const { result, error } = await person.callRaw(method, params)
      assert.equal(error, undefined, `${method} was refused: ${String(error?.reason)}`)
      return result as Result<M>
    },
    async expectError(method, params) {
      return (await person.callRaw(method, params)).error?.reason ?? assert.fail(`${method} was not refused`)
    },
    async signIn(code) {
      const { phone, password } = person
      const { needs } = await person.call('dashboard.session.signIn', { phone, password, ...(code === undefined ? {} : { code }) })
      if (needs === null) person.csrf = (await person.call('dashboard.session.get', {})).session?.csrf ?? null
      return needs
    },
  }
  return person

  async function callOnce(method: DashboardOperationName, params: object): Promise<{ result?: unknown; error?: ErrorBody }> {
    const reply = await answer({
      refusal: null,
      segment: null,
      hasQuery: false,
      xAuth: null,
      origin: null,
      isFromBrowser: true,
      idempotencyKey: null,
      acceptLanguage: undefined,
      address: person.address,
      body: Buffer.from(JSON.stringify({ id: 1, method, params })),
      browser: {
        cookie: person.cookie,
        csrf: person.csrf,
        userAgent: 'Browser/1',
        origin: 'http://localhost:8080',
        device: person.device,
        setCookie: (session) => (person.cookie = session),
        setDevice: (device) => (person.device = device),
      },
    })
    return JSON.parse(reply.text) as { result?: unknown; error?: ErrorBody }
  }
}

/** Params of `dashboard.exports.start`. */
export function exportParams(): Params<'dashboard.exports.start'> {
  return { list: 'receipts', format: 'csv', conditions: [] }
}

/** Begins an export and returns its id. */
export async function beginExport(user: DashboardUser): Promise<string> {
  return (await user.call('dashboard.exports.start', exportParams())).exportId
}
