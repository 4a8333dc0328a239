import { ConnectionLost, openConnection, type Connection } from './connection.ts'

/** What became of a call, as the caller can know it. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly status: number; readonly code: number; readonly reason: string }
  /** No answer came: done or not done, nobody knows. */
  | { readonly kind: 'lost'; readonly why: string }

/** A merchant's server on one connection. */
export interface Wire {
  create(pan: string): Promise<Outcome>
  askCode(token: string): Promise<Outcome>
  verify(token: string, code: string): Promise<Outcome>
  check(token: string): Promise<Outcome>
  remove(token: string): Promise<Outcome>
  /** Any other method; with a key it may be asked again. */
  call(method: string, params: object, idempotencyKey?: string): Promise<Outcome>
  close(): void
}

export interface WireStart {
  readonly url: string
  /** `<id>:<password>`. */
  readonly xAuth: string
  readonly answerSecondsMax?: number
}

/** Connects and speaks the spec profile. Throws `ConnectionLost` when nobody listens. */
export async function openWire({ url, xAuth, answerSecondsMax }: WireStart): Promise<Wire> {
  const connection = await openConnection(url, answerSecondsMax)
  const call = (method: string, params: object, key?: string): Promise<Outcome> => ask(connection, xAuth, { method, params, key })
  return {
    call,
    create: (pan) => call('cards.create', { card: { number: pan, expire: '0399' }, save: true }),
    askCode: (token) => call('cards.get_verify_code', { token }),
    verify: (token, code) => call('cards.verify', { token, code }),
    check: (token) => call('cards.check', { token }),
    remove: (token) => call('cards.remove', { token }),
    close: () => connection.close(),
  }
}

/** The token of a result that holds a card. Throws when there is none: then the service broke its contract. */
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

interface Asked {
  readonly method: string
  readonly params: object
  readonly key: string | undefined
}

async function ask(connection: Connection, xAuth: string, { method, params, key }: Asked): Promise<Outcome> {
  try {
    const { status, body } = await connection.post(`/api/${method}`, xAuth, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), key)
    return readOutcome(status, body)
  } catch (err) {
    if (err instanceof ConnectionLost) return { kind: 'lost', why: err.message }
    throw err
  }
}

/** An answer without JSON is a refusal by its status alone. */
export function readOutcome(status: number, body: string): Outcome {
  const reply = readJson(body)
  const { result, error } = reply
  if (typeof result === 'object' && result !== null) return { kind: 'result', result: result as Record<string, unknown> }
  const { code, reason } = (error ?? {}) as { code?: unknown; reason?: unknown }
  return { kind: 'refused', status, code: Number(code ?? 0), reason: typeof reason === 'string' ? reason : `http_${status}` }
}

function readJson(body: string): { result?: unknown; error?: unknown } {
  try {
    const read: unknown = JSON.parse(body)
    return typeof read === 'object' && read !== null ? read : {}
  } catch {
    return {}
  }
}
