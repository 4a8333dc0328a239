/** An error of the service, or no response at all (code 0). */
export class ApiCallError extends Error {
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

export type ApiCall = (method: string, params: object, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>

/**
 * Creates a function that calls the service this document came from, with the merchant's public id. The path `/api/<method>` selects the
 * profile whose masked number shows four digits in front, not six. The function throws `ApiCallError`: `stopped` when the signal was
 * aborted, `network_timeout` when it was aborted with the reason `late`, and `offline` when there was no response.
 */
export function createApiCall(merchant: string): ApiCall {
  return async (method, params, signal) => {
    const body = await fetch(`/api/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth': merchant },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      credentials: 'omit',
      signal,
    })
      .then((response) => response.json() as Promise<ResponseBody>)
      .catch((): never => {
        throw new ApiCallError(0, signal.aborted ? (signal.reason === 'late' ? 'network_timeout' : 'stopped') : 'offline')
      })
    if (body.result !== undefined) return body.result
    const { code = 0, reason = 'internal_error', retry_after: retryAfterMs = 0 } = body.error ?? {}
    throw new ApiCallError(code, reason, retryAfterMs)
  }
}

interface ResponseBody {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code?: number; readonly reason?: string; readonly retry_after?: number }
}
