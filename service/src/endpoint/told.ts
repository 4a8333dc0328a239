import type { EndpointCancellation, EndpointPayment, EndpointSaid, EndpointTransaction, MerchantEndpoint } from './endpoint.ts'

/** What came of one deed at a merchant's endpoint, in words of our own: never what the merchant wrote. */
export interface ToldDeed {
  readonly deed: 'check' | 'perform' | 'cancel'
  /** `failed`: it could not be asked at all, for instance because its password does not open. */
  readonly outcome: EndpointSaid['kind'] | 'failed'
  readonly merchantId: string
  /** Null for a check, which knows of no receipt. */
  readonly receiptId: string | null
  /** Why it is as it is, in a word: `late`, `http_500`, `refused`. Null when it agreed. */
  readonly reason: string | null
  /** The error's code where the endpoint said one. */
  readonly code: number | null
  readonly ms: number
  readonly err?: unknown
}

export interface TellingParts {
  readonly endpoint: MerchantEndpoint
  readonly tell: (told: ToldDeed) => void
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
}

/** The same endpoint, and what came of each deed is told. A merchant without one is asked nothing, so nothing is told of it. */
export function makeTellingEndpoint({ endpoint, tell, now }: TellingParts): MerchantEndpoint {
  return Object.freeze({
    isSet: (merchantId: string) => endpoint.isSet(merchantId),
    check: (ask: EndpointPayment, signal: AbortSignal) => telling('check', ask, null, () => endpoint.check(ask, signal)),
    perform: (ask: EndpointTransaction, signal: AbortSignal) =>
      telling('perform', ask, ask.transactionId, () => endpoint.perform(ask, signal)),
    cancel: (ask: EndpointCancellation, signal: AbortSignal) =>
      telling('cancel', ask, ask.transactionId, () => endpoint.cancel(ask, signal)),
  })

  async function telling(
    deed: ToldDeed['deed'],
    { merchantId }: { merchantId: string },
    receiptId: string | null,
    ask: () => Promise<EndpointSaid>,
  ): Promise<EndpointSaid> {
    const startedAt = now()
    const about = () => ({ deed, merchantId, receiptId, ms: now() - startedAt })
    try {
      const said = await ask()
      tell({ ...about(), ...read(said) })
      return said
    } catch (err) {
      tell({ ...about(), outcome: 'failed', reason: 'failed', code: null, err })
      throw err
    }
  }
}

function read(said: EndpointSaid): Pick<ToldDeed, 'outcome' | 'reason' | 'code'> {
  if (said.kind === 'agreed') return { outcome: 'agreed', reason: null, code: null }
  if (said.kind === 'refused') return { outcome: 'refused', reason: 'refused', code: said.error.code }
  const code = /^error_(-[0-9]+)$/.exec(said.why)?.[1]
  return { outcome: 'silent', reason: code === undefined ? said.why : 'error', code: code === undefined ? null : Number(code) }
}
