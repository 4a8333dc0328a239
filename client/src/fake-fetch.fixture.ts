import { Tessera, type TesseraOptions } from './index.ts'

/** One request as the library sent it. */
export type Sent = { url: string; headers: Record<string, string>; id: string; method: string; params: unknown; redirect: string }

/** What the fake does with a request: answers with a reply, or throws as fetch would. */
export type Turn = (sent: Sent) => Response

/** A library over a fetch that takes the turns one after the other, the last one for ever. */
export function fakeTessera(turns: readonly Turn[], options: Partial<TesseraOptions> = {}): { tessera: Tessera; sent: Sent[] } {
  const sent: Sent[] = []
  const fakeFetch: typeof fetch = async (input, init) => {
    const body = JSON.parse(init?.body as string) as { id: string; method: string; params: unknown }
    const request = {
      ...body,
      url: input as string,
      headers: init?.headers as Record<string, string>,
      redirect: init?.redirect ?? 'follow',
    }
    const turn = turns[Math.min(sent.push(request), turns.length) - 1]
    if (turn === undefined) throw new Error('the fake has no turn')
    return turn(request)
  }
  return { tessera: new Tessera({ ...demo, fetch: fakeFetch, ...options }), sent }
}

/** The demo merchant of the test environment. */
export const demo = {
  url: 'http://127.0.0.1:8080',
  merchantId: '65f0c0ffee0000000000cafe',
  password: 'sandbox-only-password-not-for-live-0',
}

export const token = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'

export function result(value: unknown): Turn {
  return ({ id }) => Response.json({ jsonrpc: '2.0', id, result: value })
}

export function error(reason: string, { code = -32400, status = 200, ...rest }: Record<string, unknown> = {}): Turn {
  return ({ id }) => Response.json({ jsonrpc: '2.0', id, error: { code, message: 'No.', reason, ...rest } }, { status: status as number })
}

/** The same with an `X-Request-Id`. */
export function asRequest(requestId: string, turn: Turn): Turn {
  return (sent) => {
    const reply = turn(sent)
    reply.headers.set('x-request-id', requestId)
    return reply
  }
}

/** As undici does when a connection fails. */
export function broken(code: string): Turn {
  return () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('not to be repeated'), { code }) })
  }
}
