import type { HttpPostResponse } from '../../http/http-post.ts'
import { smsErrorText } from '../sms.ts'
import type { ReplyCondition } from './template.ts'

/** A reply, read once as text and as JSON. */
export interface TemplateReply {
  readonly status: number
  readonly text: string
  /** Undefined when it is not JSON. */
  readonly json: unknown
}

export function readTemplateReply({ status, body }: HttpPostResponse): TemplateReply {
  const text = Buffer.from(body ?? []).toString('utf8')
  return { status, text, json: parseJson(text) }
}

/** Whether one of the conditions holds. */
export function matchesReply(conditions: readonly ReplyCondition[], reply: TemplateReply): boolean {
  return conditions.some((condition) => isMet(condition, reply))
}

function isMet({ status, json, textStart }: ReplyCondition, reply: TemplateReply): boolean {
  if (status.length > 0 && !status.includes(reply.status)) return false
  if (textStart.length > 0 && !textStart.some((start) => reply.text.trimStart().startsWith(start))) return false
  return json.every(({ path, values }) => values.some((value) => value === memberAt(reply.json, path)))
}

/** A text or a number of the reply as text; null when there is none. */
export function textAt(reply: TemplateReply, path: string): string | null {
  const value = memberAt(reply.json, path)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/** Why the gateway rejected a message, without what it may repeat of the message. */
export function errorOf(reply: TemplateReply, path: string | null): string {
  const otherwise = `http ${String(reply.status)}`
  return smsErrorText((path === null ? null : textAt(reply, path)) ?? otherwise, otherwise)
}

function memberAt(json: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    return isObject ? (value as Record<string, unknown>)[name] : undefined
  }, json)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
