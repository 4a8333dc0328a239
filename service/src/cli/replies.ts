import type { Question, Reply } from './control-wire.ts'

export type Answer = (question: Question) => Promise<Reply>

/** By what is asked. */
export type Answers = Readonly<Record<string, Answer>>

export function yes(answer: unknown): Reply {
  return { ok: true, answer }
}

/** `reason` is for programs, `message` for people. */
export function no(reason: string, message: string): Reply {
  return { ok: false, reason, message }
}

export function badMerchant(): Reply {
  return no('bad_merchant', 'A merchant id is 24 hex digits.')
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{24}$/.test(value)
}
