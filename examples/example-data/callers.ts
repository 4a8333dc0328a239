import type { App } from '../../service/src/app.ts'
import type { RequestHandler } from '../../service/src/server/pipeline.ts'

/** A reply of the service: the result, or the reason of the refusal. */
export interface ExampleReply {
  readonly result: unknown
  readonly reason: string | null
}

export interface ExampleCaller {
  call(method: string, params: object): Promise<ExampleReply>
  /** The result. Throws when the call is refused. */
  expect<T>(method: string, params: object): Promise<T>
}

/** A user of the dashboard in a browser of their own. */
export interface ExamplePerson extends ExampleCaller {
  /** Signs in, and chooses a password when the present one was issued for one sign-in. */
  signIn(): Promise<void>
  signOut(): Promise<void>
}

export interface PersonDetails {
  readonly phone: string
  readonly password: string
  readonly address: string
  readonly userAgent: string
}

/** The merchant's server; with the merchant id alone, its page or app. */
export function makeApiCaller({ handle }: App, { xAuth, address }: { readonly xAuth: string; readonly address: string }): ExampleCaller {
  return makeCaller(handle, { xAuth, address })
}

export function makeOperatorCaller({ handleOperator }: App): ExampleCaller {
  const terminal = { left: new AbortController().signal, showProgress: () => undefined }
  return makeCaller(handleOperator, { address: '', terminal })
}

export function makePerson({ handleDashboard }: App, person: PersonDetails): ExamplePerson {
  let { password } = person
  const cookies: { cookie: string | null; device: string | null; csrf: string | null } = { cookie: null, device: null, csrf: null }
  const handle: RequestHandler = (request) =>
    handleDashboard({
      ...request,
      isFromBrowser: true,
      browser: {
        ...cookies,
        userAgent: person.userAgent,
        origin: 'http://localhost:8080',
        setCookie: (session) => void (cookies.cookie = session),
        setDevice: (device) => void (cookies.device = device),
      },
    })
  const { expect, call: callOnce } = makeCaller(handle, { address: person.address })
  return {
    expect: async <T>(method: string, params: object) => requireResult(method, await call(method, params)) as T,
    call,
    async signIn() {
      await expect('dashboard.session.signIn', { phone: person.phone, password })
      const { session } = await expect<{ session: { csrf: string; mustChangePassword: boolean } }>('dashboard.session.get', {})
      cookies.csrf = session.csrf
      if (!session.mustChangePassword) return
      await expect('dashboard.password.change', { password, newPassword: exampleUserPassword })
      password = exampleUserPassword
    },
    async signOut() {
      await expect('dashboard.session.signOut', {})
    },
  }

  /** Confirms by the password when that is asked for, as the dialog of the page does. */
  async function call(method: string, params: object): Promise<ExampleReply> {
    const reply = await callOnce(method, params)
    if (reply.reason !== 'confirmation_required') return reply
    await expect('dashboard.session.confirm', { password })
    return callOnce(method, params)
  }
}

/** The password of every user but that of the demo merchant, which the sandbox has. Public, like everything here. */
export const exampleUserPassword = 'example data only'

function makeCaller(handle: RequestHandler, own: object): ExampleCaller {
  return { call, expect: async <T>(method: string, params: object) => requireResult(method, await call(method, params)) as T }

  async function call(method: string, params: object): Promise<ExampleReply> {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { text } = await handle({ ...emptyRequest, ...own, body })
    const { result, error } = JSON.parse(text) as { result?: unknown; error?: { reason?: string; message: string } }
    return { result: result ?? null, reason: error === undefined ? null : (error.reason ?? error.message) }
  }
}

function requireResult(method: string, { result, reason }: ExampleReply): unknown {
  if (reason !== null) throw new Error(`${method} was refused: ${reason}`)
  return result
}

const emptyRequest = {
  refusal: null,
  segment: null,
  hasQuery: false,
  xAuth: null,
  origin: null,
  isFromBrowser: false,
  idempotencyKey: null,
  acceptLanguage: undefined,
  address: '',
} as const
