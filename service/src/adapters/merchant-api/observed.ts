import type { MerchantApi, MerchantApiCancellation, MerchantApiPayment, MerchantApiReply, MerchantApiTransaction } from './merchant-api.ts'

/** The outcome of one call of a merchant's endpoint, in our own codes: never what the merchant wrote. */
export interface MerchantApiCall {
  readonly operation: 'check' | 'perform' | 'cancel'
  /** `failed`: the call could not be made, for instance because the stored password does not open. */
  readonly outcome: MerchantApiReply['kind'] | 'failed'
  readonly merchantId: string
  /** Null for a check, which has no receipt id. */
  readonly receiptId: string | null
  /** A code: `late`, `http_500`, `refused`. Null when it agreed. */
  readonly reason: string | null
  /** The code of the endpoint's error. */
  readonly code: number | null
  readonly ms: number
  readonly err?: unknown
}

export interface ObservedMerchantApiOptions {
  readonly endpoint: MerchantApi
  readonly tell: (told: MerchantApiCall) => void
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** The same endpoint, with the outcome of each call reported. */
export function observeMerchantApi({ endpoint, tell, now }: ObservedMerchantApiOptions): MerchantApi {
  return Object.freeze({
    isSet: (merchantId: string) => endpoint.isSet(merchantId),
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
    request: () => Promise<MerchantApiReply>,
  ): Promise<MerchantApiReply> {
    const startedAt = now()
    const details = () => ({ operation, merchantId, receiptId, ms: now() - startedAt })
    try {
      const reply = await request()
      tell({ ...details(), ...outcomeOf(reply) })
      return reply
    } catch (err) {
      tell({ ...details(), outcome: 'failed', reason: 'failed', code: null, err })
      throw err
    }
  }
}

function outcomeOf(reply: MerchantApiReply): Pick<MerchantApiCall, 'outcome' | 'reason' | 'code'> {
  if (reply.kind === 'agreed') return { outcome: 'agreed', reason: null, code: null }
  if (reply.kind === 'refused') return { outcome: 'refused', reason: 'refused', code: reply.error.code }
  const code = /^error_(-[0-9]+)$/.exec(reply.why)?.[1]
  return { outcome: 'silent', reason: code === undefined ? reply.why : 'error', code: code === undefined ? null : Number(code) }
}
