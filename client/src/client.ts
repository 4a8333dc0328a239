import { randomUUID } from 'node:crypto'

import { readCallOptions, readTesseraOptions, type CallOptions, type ClientSettings, type TesseraOptions } from './options.ts'
import { TesseraError, type Outcome } from './problem.ts'
import { sendWithRetries } from './retry.ts'
import type { CallRequest } from './send-request.ts'
import { methodTable, type MethodName, type Methods } from './wire.ts'

type MethodGroup<Group extends string> = {
  readonly [M in MethodName as M extends `${Group}.${infer Name}` ? Name : never]: (
    params: Methods[M]['params'],
    options?: CallOptions,
  ) => Promise<Methods[M]['result']>
}

/**
 * A client for a merchant's server. Calls that change something carry an idempotency key, generated unless you give one, so every call is
 * retried automatically when that is safe. `cards.create`, `cards.get_verify_code` and `cards.verify` are not available: the cardholder's
 * browser or app calls them, because a card number must never pass through the merchant's server.
 */
export class Tessera {
  /** `check` and `remove`: what a server does with a card token. Each throws TesseraError. */
  readonly cards: MethodGroup<'cards'>
  /** Payments with a token. Each throws TesseraError. */
  readonly receipts: MethodGroup<'receipts'>
  readonly #settings: ClientSettings

  constructor(options: TesseraOptions) {
    this.#settings = readTesseraOptions(options)
    this.cards = this.#createGroup('cards')
    this.receipts = this.#createGroup('receipts')
  }

  /** Calls a method and returns its result. Throws TesseraError, whose `reason` tells why the call failed. */
  async call<M extends MethodName>(method: M, params: Methods[M]['params'], options: CallOptions = {}): Promise<Methods[M]['result']> {
    const outcome = await this.outcome(method, params, options)
    if (outcome.ok) return outcome.result
    throw new TesseraError(method, outcome)
  }

  /**
   * Calls a method and returns its result or the problem, whose `reason` tells why the call failed. Throws TypeError only for mistakes in
   * the code: a method that is not available, params that are not JSON, a key that cannot be sent.
   */
  async outcome<M extends MethodName>(
    method: M,
    params: Methods[M]['params'],
    options: CallOptions = {},
  ): Promise<Outcome<Methods[M]['result']>> {
    const { mutates } = findMethod(method)
    const { signal, idempotencyKey: givenKey } = readCallOptions(options)
    const idempotencyKey = mutates ? (givenKey ?? randomUUID()) : null
    const request = this.#createRequest({ method, params, signal, idempotencyKey })
    const result = await sendWithRetries(request, this.#settings.maxRetries)
    const { requestId } = result
    return result.ok
      ? { ok: true, result: result.result as Methods[M]['result'], idempotencyKey, requestId }
      : { ok: false, problem: result.problem, idempotencyKey, requestId }
  }

  #createRequest(call: { method: MethodName; params: object; signal: AbortSignal | null; idempotencyKey: string | null }): CallRequest {
    const { url, timeoutMs, fetch, headers } = this.#settings
    const id = randomUUID()
    return {
      url: `${url}/api/${call.method}`,
      headers: { ...headers, ...(call.idempotencyKey === null ? {} : { 'idempotency-key': call.idempotencyKey }) },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: call.method, params: call.params }),
      id,
      timeoutMs,
      fetch,
      signal: call.signal,
    }
  }

  #createGroup<G extends string>(group: G): MethodGroup<G> {
    const names = (Object.keys(methodTable) as MethodName[]).filter((name) => name.startsWith(`${group}.`))
    const methods = names.map((name) => [
      name.slice(group.length + 1),
      (params: Methods[typeof name]['params'], options?: CallOptions) => this.call(name, params, options),
    ])
    return Object.freeze(Object.fromEntries(methods)) as MethodGroup<G>
  }
}

function findMethod(method: MethodName): { readonly mutates: boolean } {
  if (Object.hasOwn(methodTable, method)) return methodTable[method]
  const isForBrowsers = ['cards.create', 'cards.get_verify_code', 'cards.verify'].includes(method)
  const explanation = isForBrowsers
    ? "the cardholder's browser or app calls it, so that no card number passes through your server"
    : 'there is no such method'
  throw new TypeError(`${method} is not available in this library: ${explanation}`)
}
