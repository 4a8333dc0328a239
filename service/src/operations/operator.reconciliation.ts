import type { Result } from '@tessera/contract/operations'
import {
  operatorReceiptsNetworkOperationsContract,
  operatorReceiptsRecordReconciliationContract,
} from '@tessera/contract/operations/operator-receipts'

import type { NetworkDayOperation } from '../domain/payments/network-day.ts'
import { toOperationKind, toOperationState } from '../domain/payments/network-operations.ts'
import type { NetworkOperationKey, OperationRow } from '../store/operations.ts'

import { operation } from './operation.ts'
import { refusal } from './operator.ts'

/** Lists the operations at one network that were in progress in a range of time. */
export const operatorReceiptsNetworkOperations = operation(operatorReceiptsNetworkOperationsContract, {
  async run({ network, from, to, after, count = 500 }, _ctx, { networkDay }) {
    const page = await networkDay.list({ network, from, to, after: after === undefined ? null : parseCursor(after), count })
    if (page === null) throw refusal('network_unknown', network)
    const { operations, unreadable, next } = page
    return { operations: operations.map(toItem), unreadable, next: next === null ? null : formatCursor(next) }
  },
})

/** Writes the audit entry of a daily file that was compared. */
export const operatorReceiptsRecordReconciliation = operation(operatorReceiptsRecordReconciliationContract, {
  async run(reconciliation, ctx, { networkDay }) {
    await networkDay.record(reconciliation, ctx)
    return { success: true }
  },
})

function toItem({
  operation,
  hasValidMac,
  authorization,
}: NetworkDayOperation): Result<'operator.receipts.networkOperations'>['operations'][number] {
  const { receiptId, merchantId, kind, amountTiyin, state, requestedAt, resolvedAt } = operation
  return {
    ...toIds(operation),
    receiptId,
    merchantId,
    kind: toOperationKind(kind),
    amountTiyin,
    state: toOperationState(state),
    requestedAt,
    resolvedAt,
    hasValidMac,
    authorization: authorization === null ? null : toIds(authorization),
  }
}

/** A trace is the STAN, the time and, in ISO 8583, the reference that the service drew for the call: it is there also when the network never replied. */
function toIds({ requestId, networkRef, trace }: OperationRow) {
  const [stan = '', , drawn = ''] = trace.split(' ')
  return { requestId, networkRef: networkRef === '' ? drawn : networkRef, stan }
}

function formatCursor({ bucket, receiptId, requestId }: NetworkOperationKey): string {
  return `${String(bucket)}.${receiptId}${requestId}`
}

function parseCursor(cursor: string): NetworkOperationKey {
  const [bucket = '', ids = ''] = cursor.split('.')
  return { bucket: Number(bucket), receiptId: ids.slice(0, 24), requestId: ids.slice(24) }
}
