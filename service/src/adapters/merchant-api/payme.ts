import type { Clock } from '../../clock.ts'
import type { AddressGuard } from '../http/address-guard.ts'
import { type HttpPostResult, makeHttpPost } from '../http/http-post.ts'

import {
  cancelReasons,
  type MerchantApi,
  type MerchantApiAddress,
  type MerchantApiCancellation,
  type MerchantApiError,
  type MerchantApiPayment,
  type MerchantApiReply,
  type MerchantApiTransaction,
} from './merchant-api.ts'

export interface PaymeMerchantApiDependencies {
  /** Null: the merchant has no endpoint. */
  readonly find: (merchantId: string) => Promise<MerchantApiAddress | null>
  readonly isSet: (merchantId: string) => Promise<boolean>
  readonly guard: AddressGuard
  readonly clock: Clock
}

/** Calls merchants' endpoints by the public Payme Merchant API: JSON-RPC over POST with Basic authentication. */
export function createPaymeMerchantApi({ find, isSet, guard, clock }: PaymeMerchantApiDependencies): MerchantApi {
  const send = makeHttpPost({ guard, clock, timeoutMs, replyBytesMax })
  return Object.freeze({ isSet, check, perform, cancel })

  function check({ merchantId, amountTiyin, account }: MerchantApiPayment, signal: AbortSignal): Promise<MerchantApiReply> {
    return call(merchantId, { method: 'CheckPerformTransaction', params: { amount: amountTiyin, account } }, signal)
  }

  /**
   * Creates the transaction and performs it. A transaction that may have been performed before is performed first, and created only when the
   * merchant does not know it, because a merchant that follows the protocol refuses to create what it has performed.
   */
  async function perform(ask: MerchantApiTransaction, signal: AbortSignal): Promise<MerchantApiReply> {
    const { merchantId, transactionId: id, at: time, amountTiyin, account } = ask
    const performing: MerchantApiRequest = { method: 'PerformTransaction', params: { id } }
    if (ask.isAgain) {
      const reply = await call(merchantId, performing, signal)
      if (!isUnknownThere(reply)) return reply
    }
    const made = await call(merchantId, { method: 'CreateTransaction', params: { id, time, amount: amountTiyin, account } }, signal)
    return made.kind === 'agreed' ? call(merchantId, performing, signal) : made
  }

  async function cancel(
    { merchantId, transactionId: id, reason }: MerchantApiCancellation,
    signal: AbortSignal,
  ): Promise<MerchantApiReply> {
    const reply = await call(merchantId, { method: 'CancelTransaction', params: { id, reason: cancelReasons[reason] } }, signal)
    return isUnknownThere(reply) ? { kind: 'agreed' } : reply
  }

  async function call(merchantId: string, asking: MerchantApiRequest, signal: AbortSignal): Promise<MerchantApiReply> {
    const at = await find(merchantId)
    if (at === null) return { kind: 'agreed' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...asking })
    const authorization = `Basic ${Buffer.from(`${at.login}:${at.password}`).toString('base64')}`
    const sent = await send({ url: at.url, headers: { authorization }, body }, signal)
    return readReply(sent, isAgreementByMethod[asking.method])
  }
}

interface MerchantApiRequest {
  readonly method: keyof typeof isAgreementByMethod
  readonly params: object
}

function isUnknownThere(reply: MerchantApiReply): boolean {
  return reply.kind === 'refused' && reply.error.code === transactionNotFound
}

const transactionNotFound = -31003
/** Of one call: name lookup, connection and reply. Two calls fit into the timeout of a step. */
const timeoutMs = 5000
const replyBytesMax = 16_384

type Members = Readonly<Record<string, unknown>>

/** Which results are an agreement, by the transaction states of the Merchant API: 1 created, 2 performed, below 0 cancelled. */
export const isAgreementByMethod = Object.freeze({
  CheckPerformTransaction: ({ allow }: Members) => allow === true,
  CreateTransaction: ({ state }: Members) => state === 1,
  PerformTransaction: ({ state }: Members) => state === 2,
  CancelTransaction: ({ state }: Members) => state === -1 || state === -2,
})

/** Reads the reply of a merchant's endpoint. A reply outside the protocol counts as none. */
export function readReply(sent: HttpPostResult, isAgreement: (result: Members) => boolean): MerchantApiReply {
  if (sent.outcome !== 'answered') return silent(sent.outcome)
  if (sent.status !== 200) return silent(`http_${String(sent.status)}`)
  if (sent.body === null) return silent('too_long')
  const { result, error } = readMembers(sent.body) ?? {}
  if (isMembers(error)) return readError(error)
  if (!isMembers(result)) return silent('not_a_reply')
  if (isAgreement(result)) return { kind: 'agreed' }
  return result['allow'] === false ? { kind: 'refused', error: notAllowed } : silent('unexpected_result')
}

/** -32xxx means that the endpoint did not judge the payment: an internal error, an unknown method, a wrong password. */
function readError(error: Members): MerchantApiReply {
  const { code } = error
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) return silent('not_a_reply')
  if (code <= -32000 && code >= -32999) return silent(`error_${String(code)}`)
  return { kind: 'refused', error: { code, message: readMessage(error['message']), ...readAbout(error['data']) } }
}

function readMessage(message: unknown): MerchantApiError['message'] {
  if (typeof message === 'string') return cut(message)
  if (!isMembers(message)) return ''
  const texts = languages.flatMap((language) => {
    const text = message[language]
    return typeof text === 'string' ? [[language, cut(text)] as const] : []
  })
  return Object.fromEntries(texts)
}

function readAbout(about: unknown): Pick<MerchantApiError, 'data'> {
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

/** The merchant's texts are passed on, with bounded length. */
function cut(text: string): string {
  return Array.from(text).slice(0, maxTextLength).join('')
}

function silent(why: string): MerchantApiReply {
  return { kind: 'silent', why }
}

/** The Merchant API's error for an operation that cannot be performed. */
const notAllowed: MerchantApiError = Object.freeze({ code: -31008, message: 'allow: false' })
const languages = ['ru', 'uz', 'en'] as const
const maxTextLength = 256
