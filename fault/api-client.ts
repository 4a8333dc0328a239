import { ConnectionLost, openHttpConnection, type ConnectionReply, type HttpConnection } from './http-connection.ts'

/** The outcome of a call, as the caller can know it. */
export type CallOutcome =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | CallRefusal
  /** No reply came: the outcome is unknown. */
  | { readonly kind: 'lost'; readonly why: string }

export interface CallRefusal {
  readonly kind: 'refused'
  readonly status: number
  readonly code: number
  readonly reason: string
  /** Where the reply says when to try again. */
  readonly retryAfterMs?: number
}

/** Whether its caller cannot know what became of the call: no reply came, or the reply says so. */
export function isOutcomeUnknown(outcome: CallOutcome): boolean {
  return outcome.kind === 'lost' || (outcome.kind === 'refused' && ['outcome_unknown', 'payment_unknown'].includes(outcome.reason))
}

/** Calls the API as a merchant's server, on one connection. */
export interface ApiClient {
  create(pan: string): Promise<CallOutcome>
  requestCode(token: string): Promise<CallOutcome>
  verify(token: string, code: string): Promise<CallOutcome>
  check(token: string): Promise<CallOutcome>
  remove(token: string): Promise<CallOutcome>
  /** Any other method; with a key it may be retried. */
  call(method: string, params: object, idempotencyKey?: string): Promise<CallOutcome>
  /** Whether the service has not closed the connection. */
  isOpen(): boolean
  close(): void
}

export interface ApiClientOptions {
  readonly url: string
  /** `<id>:<password>`. */
  readonly xAuth: string
  readonly maxReplySeconds?: number
}

/** Connects, and uses the spec profile. Throws `ConnectionLost` when nothing listens. */
export async function openApiClient({ url, xAuth, maxReplySeconds: answerSecondsMax }: ApiClientOptions): Promise<ApiClient> {
  const connection = await openHttpConnection(url, answerSecondsMax)
  const call = (method: string, params: object, key?: string): Promise<CallOutcome> => send(connection, xAuth, { method, params, key })
  return {
    call,
    create: (pan) => call('cards.create', { card: { number: pan, expire: '0399' }, save: true }),
    requestCode: (token) => call('cards.get_verify_code', { token }),
    verify: (token, code) => call('cards.verify', { token, code }),
    check: (token) => call('cards.check', { token }),
    remove: (token) => call('cards.remove', { token }),
    isOpen: connection.isOpen,
    close: () => connection.close(),
  }
}

/** The token of a result that holds a card. Throws when there is none, which is a breach of contract. */
export function tokenOf(result: Readonly<Record<string, unknown>>): string {
  return String(cardOf(result)['token'])
}

export function isVerified(result: Readonly<Record<string, unknown>>): boolean {
  return cardOf(result)['verify'] === true
}

function cardOf(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { card } = result
  if (typeof card !== 'object' || card === null) throw new Error('the result holds no card')
  return card as Readonly<Record<string, unknown>>
}

interface ApiCall {
  readonly method: string
  readonly params: object
  readonly key: string | undefined
}

async function send(connection: HttpConnection, xAuth: string, { method, params, key }: ApiCall): Promise<CallOutcome> {
  try {
    return readCallOutcome(await connection.post(`/api/${method}`, xAuth, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), key))
  } catch (err) {
    if (err instanceof ConnectionLost) return { kind: 'lost', why: err.message }
    throw err
  }
}

/** A reply that is not JSON-RPC is a refusal by its status, with the detail of the problem and the Retry-After field that it may have (RFC 9457, RFC 9110 §10.2.3). */
export function readCallOutcome({ status, body, head }: ConnectionReply): CallOutcome {
  const { result, error, detail } = readJson(body)
  if (typeof result === 'object' && result !== null) return { kind: 'result', result: result as Record<string, unknown> }
  const { code, reason, retry_after: fromBody } = (error ?? {}) as { code?: unknown; reason?: unknown; retry_after?: number }
  const retryAfterMs = fromBody ?? readRetryAfterMs(head)
  return {
    kind: 'refused',
    status,
    code: Number(code ?? 0),
    reason: typeof reason === 'string' ? reason : `http_${status}${typeof detail === 'string' ? `: ${detail}` : ''}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

function readRetryAfterMs(head: string): number | undefined {
  const seconds = /\r\nretry-after: *(\d+)/i.exec(head)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

function readJson(body: string): { result?: unknown; error?: unknown; detail?: unknown } {
  try {
    const read: unknown = JSON.parse(body)
    return typeof read === 'object' && read !== null ? read : {}
  } catch {
    return {}
  }
}
