import type { LibraryProblem, Problem, ServiceProblem } from './problem.ts'
import { reasons, retryableReasons, type Reason } from './wire.ts'

/** What one try came to. `requestId`: the service's word for it, null where the service did not answer. */
export type Answer = Said & { readonly requestId: string | null }

type Said = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly problem: Problem }

/** A reply as it came in. `text` null: too long to be one of the service's. */
export interface Reply {
  /** The `id` that was asked with. */
  readonly id: string
  readonly status: number
  readonly retryAfter: string | null
  readonly requestId: string | null
  readonly text: string | null
}

/** Reads a JSON-RPC 2.0 reply; what is none came from something in between, or from something else. */
export function readReply(reply: Reply): Answer {
  const requestId = /^[0-9a-f]{24}$/.test(reply.requestId ?? '') ? reply.requestId : null
  return { ...readSaid(reply), requestId }
}

function readSaid(reply: Reply): Said {
  const spoken = readJson(reply.text)
  if (spoken !== null && 'result' in spoken && spoken.id === reply.id) return { ok: true, result: spoken.result }
  const error = spoken !== null && (spoken.id === reply.id || spoken.id === null) ? readError(spoken.error) : null
  return { ok: false, problem: error ?? unreadable(reply) }
}

function readJson(text: string | null): Readonly<Record<string, unknown>> | null {
  try {
    return asObject(JSON.parse(text ?? ''))
  } catch {
    return null
  }
}

function readError(member: unknown): Problem | null {
  const error = asObject(member)
  if (error === null || typeof error.code !== 'number' || typeof error.message !== 'string') return null
  const { code, message, data, retry_after: retryAfterMs } = error
  const rest = {
    code,
    message,
    ...(data === undefined ? {} : { data }),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  }
  if (!isReason(error.reason))
    return { reason: 'unlisted', word: typeof error.reason === 'string' ? error.reason : '', ...rest, isRetryable: false }
  return serviceProblem({ reason: error.reason, ...rest, isRetryable: retryableReasons.includes(error.reason) })
}

/** A proxy that has lost the service answers 502, 503 or 504 with a page of its own: the call may or may not have arrived. */
function unreadable({ status, retryAfter }: Reply): LibraryProblem {
  if (status < 502 || status > 504) return notTessera
  const seconds = /^[0-9]{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : null
  return {
    reason: 'no_answer',
    code: 0,
    message: `No answer from the service: HTTP ${status} from something before it.`,
    ...(seconds === null ? {} : { retryAfterMs: seconds * 1000 }),
    isRetryable: true,
  }
}

const notTessera: LibraryProblem = {
  reason: 'not_tessera',
  code: 0,
  message: 'What answered is not this service: check the url.',
  isRetryable: false,
}

function isReason(word: unknown): word is Reason {
  return (reasons as readonly unknown[]).includes(word)
}

/** The union over all reasons, which TypeScript does not see in an object with a reason of the union. */
function serviceProblem(problem: ServiceProblem<Reason>): Problem {
  return problem as Problem
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
}
