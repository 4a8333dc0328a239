import type { ErrorBody } from './errors.ts'
import type { Language } from './profile.ts'

export type { Language, Profile } from './profile.ts'

/** What a caller chose as the request's `id`: a string of at most 128 characters, an integer, or null (JSON-RPC 2.0 §4). */
export type RequestId = string | IntegerRequestId | null

/** An integer of up to 32 digits exactly as it was written: clients draw ids beyond what a JavaScript number holds. */
export interface IntegerRequestId {
  readonly integer: string
}

/** An id as JSON text, echoed as it was sent. */
export function writeRequestId(id: RequestId): string {
  return typeof id === 'object' && id !== null ? id.integer : JSON.stringify(id)
}

/** JSON-RPC 2.0 §5: a response carries either a result or an error. */
export type Response = { jsonrpc: '2.0'; id: RequestId; result: unknown } | { jsonrpc: '2.0'; id: RequestId; error: ErrorBody }

export const maxRequestIdLength = 128
export const maxRequestIdDigits = 32
export const maxBatchLength = 20
/**
 * No call of a batch starts later than this after the first one. Calls to the network and the SMS gateway take at most as long again (12 s and 3 s),
 * so that a batch gets its response within the 30 s that HTTP clients commonly wait.
 */
export const maxBatchTimeMs = 15_000
export const maxBodyBytes = 64 * 1024
export const maxDepth = 16
export const maxMembers = 256

/** Whether a name from outside may be echoed or logged: at most 64 letters, digits, `_`, `.` and `-`, without enough digits for a card number, an account or a phone. */
export function isPlainName(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name) && !/\d(?:\D?\d){6}/.test(name)
}

/** The preferred of our three languages in an Accept-Language header (RFC 9110 §12.5.4); English when it names none of them. */
export function readLanguage(header: string | undefined): Language {
  if (header === undefined || header.length > 200) return 'en'
  let best: Language = 'en'
  let bestWeight = 0
  for (const part of header.split(',')) {
    const [range = '', ...parameters] = part
      .toLowerCase()
      .split(';')
      .map((piece) => piece.trim())
    const language = languages.find((known) => range === known || range.startsWith(`${known}-`))
    const weight = readWeight(parameters)
    if (language === undefined || weight <= bestWeight) continue
    best = language
    bestWeight = weight
  }
  return best
}

function readWeight(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  if (q === undefined) return 1
  const weight = Number(q.slice(2))
  return weight >= 0 && weight <= 1 ? weight : 0
}

const languages: readonly Language[] = ['en', 'ru', 'uz']
