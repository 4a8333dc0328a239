import type { LibraryProblem } from './problem.ts'
import { parseResponse, type CallResult } from './parse-response.ts'

/** One call, ready to be sent. Every attempt sends the same bytes. */
export interface CallRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The JSON-RPC `id`, which the response repeats. */
  readonly id: string
  readonly timeoutMs: number
  readonly signal: AbortSignal | null
  readonly fetch: typeof fetch
}

/** Sends the request once. Never throws: every failure is a result with a problem. */
export async function sendRequest(request: CallRequest): Promise<CallResult> {
  if (isCancelled(request)) return cancelledResult
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const timer = setTimeout(abort, request.timeoutMs)
  request.signal?.addEventListener('abort', abort, { once: true })
  try {
    const { url, headers, body } = request
    // Redirects are not followed: X-Auth is sent to the configured address and to no other.
    const response = await request.fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: controller.signal })
    return parseResponse({
      id: request.id,
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      requestId: response.headers.get('x-request-id'),
      text: await readText(response),
    })
  } catch (err) {
    if (isCancelled(request)) return cancelledResult
    return noResponse(request, controller.signal.aborted ? `within ${request.timeoutMs} ms` : errorCodeOf(err))
  } finally {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', abort)
  }
}

function isCancelled({ signal }: CallRequest): boolean {
  return signal?.aborted === true
}

/** The body as text; null when it is longer than any response of the service. */
async function readText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > maxResponseBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const cancelledResult: CallResult = {
  ok: false,
  requestId: null,
  problem: { reason: 'cancelled', code: 0, message: 'The call was cancelled by your signal.', isRetryable: false },
}

function noResponse({ url }: CallRequest, cause: string): CallResult {
  const problem: LibraryProblem = {
    reason: 'no_answer',
    code: 0,
    message: `No answer from ${new URL(url).origin}: ${cause}.`,
    isRetryable: true,
  }
  return { ok: false, problem, requestId: null }
}

/** The system's error code (`ECONNREFUSED`), which fetch puts into `cause`. The message is not repeated: it may contain anything. */
function errorCodeOf(err: unknown): string {
  const cause = err instanceof Error ? (err.cause ?? err) : null
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : null
  return typeof code === 'string' ? code : 'the connection failed'
}

/** Fifty receipts, each with a `detail` as large as a request may be, take about three million bytes. */
const maxResponseBytes = 8 * 1024 * 1024
