/** A refusal of the service, or the lack of an answer (code 0). */
export class CallFailed extends Error {
  readonly code: number
  readonly reason: string
  readonly retryAfterMs: number
  constructor(code: number, reason: string, retryAfterMs = 0) {
    super(reason)
    this.code = code
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

export type Call = (method: string, params: object, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>

/**
 * Calls the service that this document came from, with the merchant's public id. The spelling of the path asks for the short mask, which tells no IIN of six.
 * Throws `CallFailed`: `stopped` when the signal was raised, `offline` when nothing came back, `network_timeout` when the signal was raised for that.
 */
export function makeCall(merchant: string): Call {
  return async (method, params, signal) => {
    const reply = await fetch(`/api/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth': merchant },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      credentials: 'omit',
      signal,
    })
      .then((response) => response.json() as Promise<Reply>)
      .catch((): never => {
        throw new CallFailed(0, signal.aborted ? (signal.reason === 'late' ? 'network_timeout' : 'stopped') : 'offline')
      })
    if (reply.result !== undefined) return reply.result
    const { code = 0, reason = 'internal_error', retry_after: retryAfterMs = 0 } = reply.error ?? {}
    throw new CallFailed(code, reason, retryAfterMs)
  }
}

interface Reply {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code?: number; readonly reason?: string; readonly retry_after?: number }
}
