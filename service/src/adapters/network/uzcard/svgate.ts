import type { Pan } from '@tessera/contract/card'

import type { HttpPost } from '../../http/http-post.ts'
import { encodeBodyWithPan, wipeCardNumbers } from '../pan-body.ts'

/**
 * `notReached`: there was no connection, so that the host cannot have seen the call. `notProcessed`: it refused the call before it read it. `noReply`: it
 * may have taken the call. `error`: it refused the call, with a code of its own.
 */
export type SvgateReply =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly code: number }
  | { readonly kind: 'notReached' }
  | { readonly kind: 'notProcessed' }
  | { readonly kind: 'noReply' }

export interface SvgateCall {
  readonly method: string
  /** The id of the JSON-RPC request, which its reply must have. */
  readonly id: string
  /** Has `panPlaceholder` where the card number goes, when there is one. */
  readonly params: object
  readonly pan?: Pan
}

export interface SvgateOptions {
  readonly url: URL
  readonly username: string
  readonly password: string
  readonly http: HttpPost
}

/** Calls a JSON-RPC 2.0 host with basic authentication. Never throws. The card number is never text: it is wiped from the request and from the reply. */
export function makeSvgate({ url, username, password, http }: SvgateOptions) {
  const headers = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    accept: 'application/json',
  }
  return async function call({ method, id, params, pan }: SvgateCall, signal: AbortSignal): Promise<SvgateReply> {
    const text = JSON.stringify({ jsonrpc: '2.0', method, id, params })
    const body = pan === undefined ? Buffer.from(text) : encodeBodyWithPan(text, pan)
    try {
      const result = await http({ url, headers, body }, signal)
      if (result.outcome !== 'responded') return { kind: result.mayHaveArrived === false ? 'notReached' : 'noReply' }
      if (notProcessed.has(result.status)) return { kind: 'notProcessed' }
      return result.body === null ? { kind: 'noReply' } : parseReply(result.body, id)
    } finally {
      body.fill(0)
    }
  }
}

/** A reply that is none, or one to another call, says nothing about this call. */
function parseReply(bytes: Uint8Array, id: string): SvgateReply {
  wipeCardNumbers(bytes)
  const reply = parseObject(Buffer.from(bytes).toString('utf8'))
  if (reply === null || reply['jsonrpc'] !== '2.0' || String(reply['id']) !== id) return { kind: 'noReply' }
  const { error, result } = reply
  if (typeof error === 'object' && error !== null) {
    const code = Number((error as { readonly code?: unknown }).code)
    return Number.isSafeInteger(code) ? { kind: 'error', code } : { kind: 'noReply' }
  }
  return result === undefined || result === null ? { kind: 'noReply' } : { kind: 'result', result }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null
  } catch {
    return null
  }
}

/** The first member of a list, or the object itself: the public clients read the same methods in both ways. Null for anything else. */
export function firstObject(result: unknown): Readonly<Record<string, unknown>> | null {
  const first: unknown = Array.isArray(result) ? result[0] : result
  return typeof first === 'object' && first !== null ? (first as Readonly<Record<string, unknown>>) : null
}

/** HTTP statuses with which a server or a proxy refuses a request before any method of it is called. */
const notProcessed: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 411, 413, 415])
