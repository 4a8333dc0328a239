import { randomUUID } from 'node:crypto'

import type { Asked } from './ask.ts'
import { readCallOptions, readTesseraOptions, type CallOptions, type ReadOptions, type TesseraOptions } from './options.ts'
import { TesseraError, type Outcome } from './problem.ts'
import { askUntilSettled } from './settle.ts'
import { methodTable, type MethodName, type Methods } from './wire.ts'

type Deeds<Group extends string> = {
  readonly [M in MethodName as M extends `${Group}.${infer Name}` ? Name : never]: (
    params: Methods[M]['params'],
    options?: CallOptions,
  ) => Promise<Methods[M]['result']>
}

/**
 * The service, as a merchant's server calls it. Calls that change something carry an idempotency key, made here unless you give one, and so
 * every call is tried again by itself when that is safe. `cards.create`, `cards.get_verify_code` and `cards.verify` are not offered: the
 * cardholder's browser or app calls them, because a card number must never pass the merchant's server.
 */
export class Tessera {
  /** `check` and `remove`: what a server does with a card token. Each throws TesseraError. */
  readonly cards: Deeds<'cards'>
  /** Payments with a token. Each throws TesseraError. */
  readonly receipts: Deeds<'receipts'>
  readonly #options: ReadOptions

  constructor(options: TesseraOptions) {
    this.#options = readTesseraOptions(options)
    this.cards = this.#group('cards')
    this.receipts = this.#group('receipts')
  }

  /** Calls a method and gives its result. Throws TesseraError, whose `reason` tells why. */
  async call<M extends MethodName>(method: M, params: Methods[M]['params'], options: CallOptions = {}): Promise<Methods[M]['result']> {
    const outcome = await this.outcome(method, params, options)
    if (outcome.ok) return outcome.result
    throw new TesseraError(method, outcome)
  }

  /**
   * Calls a method and gives its result or the problem, told apart by `reason`. Throws only what a developer has to mend: a method that is
   * not offered, params that are no JSON, a key that cannot be sent (TypeError).
   */
  async outcome<M extends MethodName>(
    method: M,
    params: Methods[M]['params'],
    options: CallOptions = {},
  ): Promise<Outcome<Methods[M]['result']>> {
    const { mutates } = rowOf(method)
    const { signal, idempotencyKey: given } = readCallOptions(options)
    const idempotencyKey = mutates ? (given ?? randomUUID()) : null
    const answer = await askUntilSettled(this.#write({ method, params, signal, idempotencyKey }), this.#options.retriesMax)
    const { requestId } = answer
    return answer.ok
      ? { ok: true, result: answer.result as Methods[M]['result'], idempotencyKey, requestId }
      : { ok: false, problem: answer.problem, idempotencyKey, requestId }
  }

  #write(call: { method: MethodName; params: object; signal: AbortSignal | null; idempotencyKey: string | null }): Asked {
    const { url, timeoutMs, fetch, headers } = this.#options
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

  #group<G extends string>(group: G): Deeds<G> {
    const names = (Object.keys(methodTable) as MethodName[]).filter((name) => name.startsWith(`${group}.`))
    const deeds = names.map((name) => [
      name.slice(group.length + 1),
      (params: Methods[typeof name]['params'], options?: CallOptions) => this.call(name, params, options),
    ])
    return Object.freeze(Object.fromEntries(deeds)) as Deeds<G>
  }
}

function rowOf(method: MethodName): { readonly mutates: boolean } {
  if (Object.hasOwn(methodTable, method)) return methodTable[method]
  const isForBrowsers = ['cards.create', 'cards.get_verify_code', 'cards.verify'].includes(method)
  const instead = isForBrowsers
    ? "the cardholder's browser or app calls it, so that no card number passes your server"
    : 'there is no such method'
  throw new TypeError(`${method} is not offered by this library: ${instead}`)
}
