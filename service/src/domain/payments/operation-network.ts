import type { StatusRequest } from '../../adapters/network/network.ts'
import type { MovementKind, OperationRow } from '../../store/operations.ts'
import type { ReceiptRow } from '../../store/receipts.ts'
import type { NetworkPeer } from '../networks.ts'

import type { PaymentServices } from './dependencies.ts'
import { loadOperations } from './find.ts'
import { acquireLease, type DueReceipt } from './transitions.ts'

/**
 * The network to which the authorization of a receipt was sent. Rows from before there were several have no name: their network is found by the card's
 * prefix. Null: it was taken out of the settings.
 */
export function findNetworkOf(
  { networks }: Pick<PaymentServices, 'networks'>,
  { maskedPan }: Pick<ReceiptRow, 'maskedPan'>,
  { network }: Pick<OperationRow, 'network'>,
): NetworkPeer | null {
  return network === '' ? networks.findByCard(maskedPan) : networks.findByName(network)
}

/** The operation with a trace number, at networks that have the service draw one. It is stored before the call. */
export async function withTrace(peer: NetworkPeer | null, operation: OperationRow): Promise<OperationRow> {
  const issueTrace = peer?.network.issueTrace
  if (issueTrace === undefined || operation.trace !== '') return operation
  return { ...operation, trace: await issueTrace(operation.kind as MovementKind) }
}

/** A follow-up that may be sent now. */
export interface LeasedFollowUp {
  readonly receipt: ReceiptRow
  readonly operation: OperationRow
  readonly authorization: OperationRow
  readonly peer: NetworkPeer | null
  /** Whether an earlier attempt may have sent it. */
  readonly isRepeat: boolean
}

/** Reserves the receipt for a call, and stores the trace number of its first attempt. Null: another change came first. */
export async function leaseFollowUp(
  due: DueReceipt,
  operation: OperationRow,
  { authorization, operations: before }: { readonly authorization: OperationRow; readonly operations: readonly OperationRow[] },
): Promise<LeasedFollowUp | null> {
  const { services } = due
  const peer = findNetworkOf(services, due.receipt, authorization)
  const traced = await withTrace(peer, operation)
  const receipt = await acquireLease(due, traced === operation ? [] : [traced])
  if (receipt === null) return null
  const operations = traced === operation ? before : await loadOperations(services, receipt)
  const stored = operations?.find(({ requestId }) => requestId === operation.requestId)
  if (operations === null || stored === undefined) return null
  return { receipt, operation: stored, authorization, peer, isRepeat: operation.trace !== '' }
}

/** What a network needs to find an earlier call. */
export function toStatusRequest(operation: OperationRow, authorization: OperationRow): StatusRequest {
  const { requestId, merchantId, kind, amountTiyin, trace } = operation
  const { requestId: ofRequestId, networkRef } = authorization
  return { requestId, merchantId, kind: kind as MovementKind, amountTiyin, trace, ofRequestId, networkRef }
}
