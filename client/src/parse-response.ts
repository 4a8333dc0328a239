import type { LibraryProblem, Problem, ServiceProblem } from './problem.ts'
import { reasons, retryableReasons, type Reason } from './wire.ts'

/** The result of one attempt. `requestId`: the service's id of the request; null when the service did not respond. */
export type CallResult = ({ readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly problem: Problem }) & {
  readonly requestId: string | null
}

/** An HTTP response as it was received. */
export interface RawResponse {
  /** The `id` of the request. */
  readonly id: string
  readonly status: number
  readonly retryAfter: string | null
  readonly requestId: string | null
  /** Null: longer than any response of the service. */
  readonly text: string | null
}

/** Parses a JSON-RPC 2.0 response. Anything else comes from a proxy or from a server that is not this service. */
export function parseResponse(response: RawResponse): CallResult {
  const requestId = /^[0-9a-f]{24}$/.test(response.requestId ?? '') ? response.requestId : null
  const body = parseJson(response.text)
  if (body !== null && 'result' in body && body.id === response.id) return { ok: true, result: body.result, requestId }
  const problem = body !== null && (body.id === response.id || body.id === null) ? parseError(body.error) : null
  return { ok: false, problem: problem ?? unreadableProblem(response), requestId }
}

function parseJson(text: string | null): Readonly<Record<string, unknown>> | null {
  try {
    return asObject(JSON.parse(text ?? ''))
  } catch {
    return null
  }
}

function parseError(member: unknown): Problem | null {
  const error = asObject(member)
  if (error === null || typeof error.code !== 'number' || typeof error.message !== 'string') return null
  const { code, message, data, reason, retry_after: retryAfterMs } = error
  const details = {
    code,
    message,
    ...(data === undefined ? {} : { data }),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  }
  if (!isReason(reason)) return { reason: 'unlisted', word: typeof reason === 'string' ? reason : '', ...details, isRetryable: false }
  return toProblem({ reason, ...details, isRetryable: retryableReasons.includes(reason) })
}

/** A proxy that cannot reach the service responds with 502, 503 or 504 and its own page. The call may or may not have arrived. */
function unreadableProblem({ status, retryAfter }: RawResponse): LibraryProblem {
  if (status < 502 || status > 504)
    return { reason: 'not_tessera', code: 0, message: 'The response is not from this service: check the url.', isRetryable: false }
  const seconds = /^[0-9]{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : null
  return {
    reason: 'no_answer',
    code: 0,
    message: `No answer from the service: a proxy in front of it responded with HTTP ${status}.`,
    ...(seconds === null ? {} : { retryAfterMs: seconds * 1000 }),
    isRetryable: true,
  }
}

function isReason(value: unknown): value is Reason {
  return (reasons as readonly unknown[]).includes(value)
}

/** TypeScript does not see that an object whose reason is any of the union is one of the union's members. */
function toProblem(problem: ServiceProblem<Reason>): Problem {
  return problem as Problem
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
}
