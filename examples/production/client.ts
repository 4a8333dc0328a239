import { request, Agent } from 'node:https'

/** How the shop's server and the load call the service: by https through the proxy, with the example's authority. */
export interface HttpsClientOptions {
  readonly port: number
  readonly host: string
  /** PEM text. */
  readonly ca: string
}

export interface HttpsCall {
  readonly method: string
  readonly params: object
  /** `merchant id` or `merchant id:password`. */
  readonly auth: string
  readonly key?: string
  /** An address of this machine: the service's limits count by it. */
  readonly from?: string
  readonly timeoutMs?: number
}

/** `noReply`: the connection broke, or nothing came in time; whether the call took effect is not known. */
export type HttpsReply =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly status: number; readonly code: number; readonly reason: string }
  | { readonly kind: 'noReply'; readonly why: string }

export type HttpsClient = (call: HttpsCall) => Promise<HttpsReply>

export function makeHttpsClient({ port, host, ca }: HttpsClientOptions): HttpsClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return ({ method, params, auth, key, from, timeoutMs = 15_000 }) =>
    new Promise((resolve) => {
      const lost = (why: string): void => resolve({ kind: 'noReply', why })
      const headers: Record<string, string> = { host: `${host}:${String(port)}`, 'content-type': 'application/json', 'x-auth': auth }
      if (key !== undefined) headers['idempotency-key'] = key
      // Without keep-alive where the address matters: the agent would use a connection from another one.
      const connection = from === undefined ? { agent } : { localAddress: from, agent: false as const }
      const sent = request(
        { host: '127.0.0.1', servername: host, port, ca, path: '/api', method: 'POST', headers, timeout: timeoutMs, ...connection },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
          response.once('error', (err) => lost(err.message))
          response.once('end', () => resolve(parseReply(response.statusCode ?? 0, text)))
        },
      )
      sent.once('timeout', () => sent.destroy(new Error('nothing in time')))
      sent.once('error', (err) => lost(err.message))
      sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    })
}

interface RpcReply {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly reason?: string }
}

/** A gateway error of the proxy is no reply of the service. */
function parseReply(status: number, text: string): HttpsReply {
  let reply: RpcReply
  try {
    reply = JSON.parse(text) as RpcReply
  } catch {
    return { kind: 'noReply', why: `HTTP ${String(status)} of the proxy` }
  }
  if (reply.result !== undefined) return { kind: 'result', result: reply.result }
  return { kind: 'error', status, code: reply.error?.code ?? 0, reason: reply.error?.reason ?? '' }
}
