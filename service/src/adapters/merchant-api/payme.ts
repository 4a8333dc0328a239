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
  /** Returns null when the merchant has no endpoint. */
  readonly find: (merchantId: string) => Promise<MerchantApiAddress | null>
  readonly hasEndpoint: (merchantId: string) => Promise<boolean>
  readonly guard: AddressGuard
  readonly clock: Clock
}

/** Calls merchants' endpoints by the public Payme Merchant API: JSON-RPC over POST with Basic authentication. */
export function createPaymeMerchantApi({ find, hasEndpoint, guard, clock }: PaymeMerchantApiDependencies): MerchantApi {
  const send = makeHttpPost({ guard, clock, timeoutMs, replyBytesMax })
  return Object.freeze({ hasEndpoint, check, perform, cancel })

  function check({ merchantId, amountTiyin, account }: MerchantApiPayment, signal: AbortSignal): Promise<MerchantApiReply> {
    return call(merchantId, { method: 'CheckPerformTransaction', params: { amount: amountTiyin, account } }, signal)
  }

  /**
   * Creates the transaction and performs it. A retry performs it first and creates it only when the merchant does not know it, because a merchant
   * that follows the protocol refuses to create a transaction that it has performed.
   */
  async function perform(transaction: MerchantApiTransaction, signal: AbortSignal): Promise<MerchantApiReply> {
    const { merchantId, transactionId: id, at: time, amountTiyin, account } = transaction
    const performRequest: MerchantApiRequest = { method: 'PerformTransaction', params: { id } }
    if (transaction.isRetry) {
      const reply = await call(merchantId, performRequest, signal)
      if (!isUnknownThere(reply)) return reply
    }
    const created = await call(merchantId, { method: 'CreateTransaction', params: { id, time, amount: amountTiyin, account } }, signal)
    return created.kind === 'agreed' ? call(merchantId, performRequest, signal) : created
  }

  async function cancel(
    { merchantId, transactionId: id, reason }: MerchantApiCancellation,
    signal: AbortSignal,
  ): Promise<MerchantApiReply> {
    const reply = await call(merchantId, { method: 'CancelTransaction', params: { id, reason: cancelReasons[reason] } }, signal)
    return isUnknownThere(reply) ? { kind: 'agreed' } : reply
  }

  async function call(merchantId: string, request: MerchantApiRequest, signal: AbortSignal): Promise<MerchantApiReply> {
    const address = await find(merchantId)
    if (address === null) return { kind: 'agreed' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...request })
    const authorization = `Basic ${Buffer.from(`${address.login}:${address.password}`).toString('base64')}`
    const sent = await send({ url: address.url, headers: { authorization }, body }, signal)
    return readReply(sent, isAgreementByMethod[request.method])
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
/** Covers name lookup, connection and reply of one call. Two calls fit into the timeout of a step. */
const timeoutMs = 5000
const replyBytesMax = 16_384

type JsonMembers = Readonly<Record<string, unknown>>

/** Whether a result is an agreement, by the transaction states of the Merchant API: 1 created, 2 performed, below 0 cancelled. */
export const isAgreementByMethod = Object.freeze({
  CheckPerformTransaction: ({ allow }: JsonMembers) => allow === true,
  CreateTransaction: ({ state }: JsonMembers) => state === 1,
  PerformTransaction: ({ state }: JsonMembers) => state === 2,
  CancelTransaction: ({ state }: JsonMembers) => state === -1 || state === -2,
})

/** Parses the reply of a merchant's endpoint. A reply outside the protocol counts as no reply. */
export function readReply(sent: HttpPostResult, isAgreement: (result: JsonMembers) => boolean): MerchantApiReply {
  if (sent.outcome !== 'responded') return silent(sent.outcome)
  if (sent.status !== 200) return silent(`http_${String(sent.status)}`)
  if (sent.body === null) return silent('too_long')
  const { result, error } = readMembers(sent.body) ?? {}
  if (isMembers(error)) return readError(error)
  if (!isMembers(result)) return silent('not_a_reply')
  if (isAgreement(result)) return { kind: 'agreed' }
  return result['allow'] === false ? { kind: 'refused', error: notAllowed } : silent('unexpected_result')
}

/** -32xxx is not a decision about the payment: an internal error, an unknown method, a wrong password. */
function readError(error: JsonMembers): MerchantApiReply {
  const { code } = error
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) return silent('not_a_reply')
  if (code <= -32000 && code >= -32999) return silent(`error_${String(code)}`)
  return { kind: 'refused', error: { code, message: readMessage(error['message']), ...readErrorData(error['data']) } }
}

function readMessage(message: unknown): MerchantApiError['message'] {
  if (typeof message === 'string') return truncate(message)
  if (!isMembers(message)) return ''
  const texts = languages.flatMap((language) => {
    const text = message[language]
    return typeof text === 'string' ? [[language, truncate(text)] as const] : []
  })
  return Object.fromEntries(texts)
}

function readErrorData(data: unknown): Pick<MerchantApiError, 'data'> {
  return typeof data === 'string' ? { data: truncate(data) } : {}
}

function readMembers(body: Uint8Array): JsonMembers | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return isMembers(value) ? value : null
  } catch {
    return null
  }
}

function isMembers(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The merchant's texts are passed on, with bounded length. */
function truncate(text: string): string {
  return Array.from(text).slice(0, maxTextLength).join('')
}

function silent(reason: string): MerchantApiReply {
  return { kind: 'silent', reason }
}

/** The Merchant API's error for an operation that cannot be performed. */
const notAllowed: MerchantApiError = Object.freeze({ code: -31008, message: 'allow: false' })
const languages = ['ru', 'uz', 'en'] as const
const maxTextLength = 256
