import type { Sent } from '../outbound/send.ts'

import type { EndpointRefusal, EndpointSaid } from './endpoint.ts'

type Members = Readonly<Record<string, unknown>>

/** What a result must say to be an agreement, by the states of the Merchant API: 1 made, 2 performed, below 0 cancelled. */
export const isRight = Object.freeze({
  CheckPerformTransaction: ({ allow }: Members) => allow === true,
  CreateTransaction: ({ state }: Members) => state === 1,
  PerformTransaction: ({ state }: Members) => state === 2,
  CancelTransaction: ({ state }: Members) => state === -1 || state === -2,
})

/** Reads the reply of a merchant's endpoint. What is no reply of the protocol says nothing: it is as if there were none. */
export function readReply(sent: Sent, isAgreement: (result: Members) => boolean): EndpointSaid {
  if (sent.outcome !== 'answered') return silent(sent.outcome)
  if (sent.status !== 200) return silent(`http_${String(sent.status)}`)
  if (sent.body === null) return silent('too_long')
  const { result, error } = readMembers(sent.body) ?? {}
  if (isMembers(error)) return readError(error)
  if (!isMembers(result)) return silent('not_a_reply')
  if (isAgreement(result)) return { kind: 'agreed' }
  return result['allow'] === false ? { kind: 'refused', error: notAllowed } : silent('unexpected_result')
}

/** -32xxx says that the endpoint did not come to the question: a fault, a method that it has not, a password that it does not know. */
function readError(error: Members): EndpointSaid {
  const { code } = error
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) return silent('not_a_reply')
  if (code <= -32000 && code >= -32999) return silent(`error_${String(code)}`)
  return { kind: 'refused', error: { code, message: readMessage(error['message']), ...readAbout(error['data']) } }
}

function readMessage(message: unknown): EndpointRefusal['message'] {
  if (typeof message === 'string') return cut(message)
  if (!isMembers(message)) return ''
  const texts = languages.flatMap((language) => {
    const text = message[language]
    return typeof text === 'string' ? [[language, cut(text)] as const] : []
  })
  return Object.fromEntries(texts)
}

function readAbout(about: unknown): Pick<EndpointRefusal, 'data'> {
  return typeof about === 'string' ? { data: cut(about) } : {}
}

function readMembers(body: Uint8Array): Members | null {
  try {
    const read: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return isMembers(read) ? read : null
  } catch {
    return null
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A merchant's words are handed on, but not endlessly. */
function cut(text: string): string {
  return Array.from(text).slice(0, lettersMax).join('')
}

function silent(why: string): EndpointSaid {
  return { kind: 'silent', why }
}

/** What the Merchant API calls an operation that cannot be carried out. */
const notAllowed: EndpointRefusal = Object.freeze({ code: -31008, message: 'allow: false' })
const languages = ['ru', 'uz', 'en'] as const
const lettersMax = 256
