import { RpcError } from '@tessera/contract/errors'

import { askWithin } from '../cards/refusal.ts'
import type { EndpointPayment, EndpointSaid, MerchantEndpoint } from '../endpoint/endpoint.ts'
import type { OperationRow, ReceiptRow } from '../store/store.ts'

import { readAccountRow } from './render.ts'
import type { ReceiptTools } from './tools.ts'

/** Asks the merchant's endpoint and waits only so long. One that breaks may have done what it was asked all the same. */
export async function askMerchant(
  { endpoint, clock, figures }: ReceiptTools,
  signal: AbortSignal,
  ask: (endpoint: MerchantEndpoint, signal: AbortSignal) => Promise<EndpointSaid>,
): Promise<EndpointSaid> {
  const late: EndpointSaid = { kind: 'silent', why: 'late' }
  try {
    return await askWithin({ clock, timeoutMs: figures.endpointTimeoutMs, signal }, late, async (until): Promise<EndpointSaid> =>
      ask(endpoint, until),
    )
  } catch {
    return { kind: 'silent', why: 'broken' }
  }
}

/** A receipt as the merchant's server knows it: its own account fields, and whole tiyin. */
export function paymentOf(receipt: ReceiptRow): EndpointPayment {
  const { merchantId, amountTiyin } = receipt
  return { merchantId, amountTiyin, account: Object.fromEntries(readAccountRow(receipt).map(({ name, value }) => [name, value])) }
}

/** An operation with what the merchant's endpoint said of it. `isOver`: it is not asked for again, whatever it said. */
export function merchantSaidOf(
  operation: OperationRow,
  said: EndpointSaid,
  { now, isOver }: { now: number; isOver: boolean },
): OperationRow {
  if (said.kind === 'agreed') return { ...operation, state: 'approved', settledAt: now }
  if (said.kind === 'refused') {
    return { ...operation, state: 'declined', reason: 'merchantRefused', rawCode: JSON.stringify(said.error), settledAt: now }
  }
  if (!isOver) return { ...operation, state: 'unknown', rawCode: said.why }
  return { ...operation, state: 'declined', reason: 'merchantNoAnswer', rawCode: said.why, settledAt: now }
}

/** What a refusal is told as: the merchant's own error, or that it said nothing. */
export function merchantRefusal(said: Exclude<EndpointSaid, { kind: 'agreed' }>): RpcError {
  if (said.kind === 'refused') return new RpcError('merchantRefused', { data: said.error })
  return new RpcError('merchantNoAnswer', { cause: new Error(`the merchant's endpoint: ${said.why}`) })
}

/** The same from what was kept; null where it was not the merchant that refused. */
export function merchantRefusalIn({ reason, rawCode }: OperationRow): RpcError | null {
  if (reason === 'merchantRefused') return new RpcError('merchantRefused', { data: JSON.parse(rawCode) as object })
  return reason === 'merchantNoAnswer' ? new RpcError('merchantNoAnswer') : null
}
