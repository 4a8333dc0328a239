/** An error of the service, or no response at all (code 0). */
export class ApiCallError extends Error {
  declare readonly code: number
  declare readonly reason: string
  declare readonly retryAfterMs: number
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
 * aborted, `network_timeout` when it was aborted with the reason `late`, `offline` when there was no response, and `service_error` when the
 * response is not one of the service's own: a proxy's HTTP 502, for example.
 */
export function createApiCall(merchant: string): ApiCall {
  return async (method, params, signal) => {
    const text = await fetch(`/api/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth': merchant },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      credentials: 'omit',
      signal,
    })
      .then((response) => response.text())
      .catch((): never => {
        throw new ApiCallError(0, signal.aborted ? (signal.reason === 'late' ? 'network_timeout' : 'stopped') : 'offline')
      })
    const { result, error } = parseBody(text)
    if (result !== undefined) return result
    const { code = 0, reason = 'service_error', retry_after: retryAfterMs = 0 } = error ?? {}
    throw new ApiCallError(code, reason, retryAfterMs)
  }
}

function parseBody(text: string): ResponseBody {
  try {
    return (JSON.parse(text) as ResponseBody | null) ?? {}
  } catch {
    return {}
  }
}

interface ResponseBody {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code?: number; readonly reason?: string; readonly retry_after?: number }
}
