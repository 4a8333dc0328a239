import type { MerchantApi, MerchantApiCancellation, MerchantApiPayment, MerchantApiReply, MerchantApiTransaction } from './merchant-api.ts'

/** The outcome of one call to a merchant's endpoint, in our own codes. Contains nothing that the merchant sent. */
export interface MerchantApiCall {
  readonly operation: 'check' | 'perform' | 'cancel'
  /** `failed`: the call could not be made, for example because the stored password could not be decrypted. */
  readonly outcome: MerchantApiReply['kind'] | 'failed'
  readonly merchantId: string
  /** Null for a check, which has no receipt id. */
  readonly receiptId: string | null
  /** A code: `late`, `http_500`, `refused`. Null when it agreed. */
  readonly reason: string | null
  /** The error code of the endpoint. */
  readonly code: number | null
  readonly ms: number
  readonly err?: unknown
}

export interface ObserveMerchantApiOptions {
  readonly endpoint: MerchantApi
  readonly onCall: (call: MerchantApiCall) => void
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** Returns the endpoint with every call reported to `onCall`. */
export function observeMerchantApi({ endpoint, onCall, now }: ObserveMerchantApiOptions): MerchantApi {
  return Object.freeze({
    hasEndpoint: (merchantId: string) => endpoint.hasEndpoint(merchantId),
    check: (request: MerchantApiPayment, signal: AbortSignal) => observe('check', request, null, () => endpoint.check(request, signal)),
    perform: (request: MerchantApiTransaction, signal: AbortSignal) =>
      observe('perform', request, request.transactionId, () => endpoint.perform(request, signal)),
    cancel: (request: MerchantApiCancellation, signal: AbortSignal) =>
      observe('cancel', request, request.transactionId, () => endpoint.cancel(request, signal)),
  })

  async function observe(
    operation: MerchantApiCall['operation'],
    { merchantId }: { merchantId: string },
    receiptId: string | null,
    call: () => Promise<MerchantApiReply>,
  ): Promise<MerchantApiReply> {
    const startedAt = now()
    const details = () => ({ operation, merchantId, receiptId, ms: now() - startedAt })
    try {
      const reply = await call()
      onCall({ ...details(), ...outcomeOf(reply) })
      return reply
    } catch (err) {
      onCall({ ...details(), outcome: 'failed', reason: 'failed', code: null, err })
      throw err
    }
  }
}

function outcomeOf(reply: MerchantApiReply): Pick<MerchantApiCall, 'outcome' | 'reason' | 'code'> {
  if (reply.kind === 'agreed') return { outcome: 'agreed', reason: null, code: null }
  if (reply.kind === 'refused') return { outcome: 'refused', reason: 'refused', code: reply.error.code }
  const code = /^error_(-[0-9]+)$/.exec(reply.reason)?.[1]
  return { outcome: 'silent', reason: code === undefined ? reply.reason : 'error', code: code === undefined ? null : Number(code) }
}
