import type { Clock } from '../clock.ts'
import type { Guard } from '../outbound/guard.ts'
import { makeSend } from '../outbound/send.ts'

import {
  cancelReasons,
  type EndpointAddress,
  type EndpointCancellation,
  type EndpointPayment,
  type EndpointSaid,
  type EndpointTransaction,
  type MerchantEndpoint,
} from './endpoint.ts'
import { isRight, readReply } from './reply.ts'

export interface MerchantApiParts {
  /** Null: the merchant has none. */
  readonly find: (merchantId: string) => Promise<EndpointAddress | null>
  readonly isSet: (merchantId: string) => Promise<boolean>
  readonly guard: Guard
  readonly clock: Clock
}

/** Asks merchants' endpoints by the public Payme Merchant API: JSON-RPC over POST with Basic authentication. */
export function makeMerchantApi({ find, isSet, guard, clock }: MerchantApiParts): MerchantEndpoint {
  const send = makeSend({ guard, clock, timeoutMs, replyBytesMax })
  return Object.freeze({ isSet, check, perform, cancel })

  function check({ merchantId, amountTiyin, account }: EndpointPayment, signal: AbortSignal): Promise<EndpointSaid> {
    return call(merchantId, { method: 'CheckPerformTransaction', params: { amount: amountTiyin, account } }, signal)
  }

  /**
   * The transaction is made and performed. Where that may have been asked before it is performed first, and made only when the merchant does
   * not know it: a merchant that follows the protocol refuses to make what it has performed already.
   */
  async function perform(ask: EndpointTransaction, signal: AbortSignal): Promise<EndpointSaid> {
    const { merchantId, transactionId: id, at: time, amountTiyin, account } = ask
    const performing: Asking = { method: 'PerformTransaction', params: { id } }
    if (ask.isAgain) {
      const said = await call(merchantId, performing, signal)
      if (!isUnknownThere(said)) return said
    }
    const made = await call(merchantId, { method: 'CreateTransaction', params: { id, time, amount: amountTiyin, account } }, signal)
    return made.kind === 'agreed' ? call(merchantId, performing, signal) : made
  }

  async function cancel({ merchantId, transactionId: id, reason }: EndpointCancellation, signal: AbortSignal): Promise<EndpointSaid> {
    const said = await call(merchantId, { method: 'CancelTransaction', params: { id, reason: cancelReasons[reason] } }, signal)
    return isUnknownThere(said) ? { kind: 'agreed' } : said
  }

  async function call(merchantId: string, asking: Asking, signal: AbortSignal): Promise<EndpointSaid> {
    const at = await find(merchantId)
    if (at === null) return { kind: 'agreed' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...asking })
    const authorization = `Basic ${Buffer.from(`${at.login}:${at.password}`).toString('base64')}`
    const sent = await send({ url: at.url, headers: { authorization }, body }, signal)
    return readReply(sent, isRight[asking.method])
  }
}

interface Asking {
  readonly method: keyof typeof isRight
  readonly params: object
}

function isUnknownThere(said: EndpointSaid): boolean {
  return said.kind === 'refused' && said.error.code === transactionNotFound
}

const transactionNotFound = -31003
/** For one call: name, connection and reply. Two of them end within what a step may take. */
const timeoutMs = 5000
const replyBytesMax = 16_384
