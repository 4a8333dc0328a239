import { Tessera, type TesseraOptions } from './index.ts'

/** One request that the library sent. */
export type SentRequest = { url: string; headers: Record<string, string>; id: string; method: string; params: unknown; redirect: string }

/** What the fake does with one request: returns a response, or throws as fetch would. */
export type FakeResponder = (request: SentRequest) => Response

/** A client whose fetch uses the responders in order. The last one is used for every further request. */
export function createClient(
  responders: readonly FakeResponder[],
  options: Partial<TesseraOptions> = {},
): { tessera: Tessera; sent: SentRequest[] } {
  const sent: SentRequest[] = []
  const fakeFetch: typeof fetch = async (input, init) => {
    const body = JSON.parse(init?.body as string) as { id: string; method: string; params: unknown }
    const request = {
      ...body,
      url: input as string,
      headers: init?.headers as Record<string, string>,
      redirect: init?.redirect ?? 'follow',
    }
    const respond = responders[Math.min(sent.push(request), responders.length) - 1]
    if (respond === undefined) throw new Error('the fake has no responder')
    return respond(request)
  }
  return { tessera: new Tessera({ ...fakeMerchant, fetch: fakeFetch, ...options }), sent }
}

/** The demo merchant of the test environment. */
export const fakeMerchant = {
  url: 'http://127.0.0.1:8080',
  merchantId: '65f0c0ffee0000000000cafe',
  password: 'sandbox-only-password-not-for-live-0',
}

export const token = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'

export function result(value: unknown): FakeResponder {
  return ({ id }) => Response.json({ jsonrpc: '2.0', id, result: value })
}

export function error(reason: string, { code = -32400, status = 200, ...rest }: Record<string, unknown> = {}): FakeResponder {
  return ({ id }) => Response.json({ jsonrpc: '2.0', id, error: { code, message: 'No.', reason, ...rest } }, { status: status as number })
}

/** Adds an `X-Request-Id` to the response. */
export function withRequestId(requestId: string, respond: FakeResponder): FakeResponder {
  return (request) => {
    const response = respond(request)
    response.headers.set('x-request-id', requestId)
    return response
  }
}

/** Throws what undici throws when a connection fails. */
export function connectionError(code: string): FakeResponder {
  return () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('not to be repeated'), { code }) })
  }
}
