import type { AuditEntry } from '../audit.ts'
import type { TransactionExtras } from '../extras.ts'
import type { IdempotencyClaim, IdempotencyOutcome } from '../idempotency.ts'
import type { OperationRow } from '../operations.ts'
import type { EventRow } from '../outbox.ts'
import { type CardLockMove, insertReceipt, type ReceiptRow, type ReceiptUpdate } from '../receipts.ts'
import type { LedgerRow } from '../sandbox-ledger.ts'
import type { Store } from '../store.ts'
import { bucket, bytesOf, keyId, sampleMerchantId, T0 } from './samples.fixture.ts'

// Sample rows of payments, distinguished by a number.

export function receiptIdOf(number: number): string {
  return '67000000' + '07f3' + number.toString(16).padStart(12, '0')
}

export function makeReceipt(number: number, over: Partial<ReceiptRow> = {}): ReceiptRow {
  return {
    bucket,
    merchantId: sampleMerchantId,
    receiptId: receiptIdOf(number),
    state: 0,
    version: 1,
    mac: bytesOf(`mac ${number} 1`, 48),
    amountTiyin: 500_000,
    takenTiyin: 0,
    hold: false,
    description: '',
    detail: null,
    account: '[]',
    payer: null,
    error: null,
    cardId: '',
    maskedPan: '',
    cardExpiry: '',
    oneTime: false,
    networkRef: '',
    requestId: '',
    customer: null,
    createdAt: T0 + number,
    payTime: 0,
    cancelTime: 0,
    sourceCancel: null,
    fiscal: null,
    unknownSince: 0,
    flagged: false,
    dueAt: null,
    reconcileAttempts: 0,
    operationsDigest: new Uint8Array(0),
    ...over,
  }
}

/** The receipt's next version. */
export function nextReceipt(receipt: ReceiptRow, over: Partial<ReceiptRow> = {}): ReceiptRow {
  const version = receipt.version + 1
  return { ...receipt, version, mac: bytesOf(`mac ${receipt.receiptId} ${version}`, 48), ...over }
}

/** An update to the next version, without operations, lock and card unless given. */
export function makeReceiptUpdate(next: ReceiptRow, over: Partial<ReceiptUpdate> = {}): Omit<ReceiptUpdate, 'audit'> {
  return { receipt: next, operations: [], cardLock: null, card: null, ...over }
}

export function makeLockMove({ bucket, merchantId, receiptId }: ReceiptRow, cardId: string, move: 'take' | 'release'): CardLockMove {
  return { lock: { bucket, cardId, merchantId, receiptId, mac: bytesOf(`lock ${receiptId}`, 48) }, move }
}

export function makeOperation(receipt: ReceiptRow, name: string, over: Partial<OperationRow> = {}): OperationRow {
  return {
    bucket: receipt.bucket,
    merchantId: receipt.merchantId,
    receiptId: receipt.receiptId,
    requestId: name,
    kind: 'authorise',
    amountTiyin: receipt.amountTiyin,
    state: 'asked',
    networkRef: '',
    reason: '',
    rawCode: '',
    requestedAt: T0,
    resolvedAt: 0,
    cardId: '',
    network: '',
    trace: '',
    mac: bytesOf(`operation ${name}`, 48),
    ...over,
  }
}

export function makeReceiptExtras(
  receipt: ReceiptRow,
  over: Partial<TransactionExtras> = {},
): TransactionExtras & { readonly audit: AuditEntry } {
  return { audit: makeReceiptAuditEntry(receipt), ...over }
}

function makeReceiptAuditEntry(receipt: ReceiptRow): AuditEntry {
  return {
    at: T0,
    actor: `merchant:${receipt.merchantId}`,
    action: 'receipt.changed',
    merchantId: receipt.merchantId,
    subject: receipt.receiptId,
    version: receipt.version,
    mac: receipt.mac,
    requestId: 'c'.repeat(24),
    outcome: 'done',
  }
}

export function makeKeyClaim(name: string, over: Partial<IdempotencyClaim> = {}): IdempotencyClaim {
  return {
    bucket,
    merchantId: sampleMerchantId,
    callerClass: 'server',
    keyHash: bytesOf(`key ${name}`),
    identity: bytesOf(`identity ${name}`),
    hashKeyId: keyId,
    claimedAt: T0,
    leaseUntil: T0 + 30_000,
    endsAt: T0 + 86_400_000,
    method: 'receipts.pay',
    subject: receiptIdOf(1),
    requestId: '',
    processId: '',
    mac: bytesOf(`claim ${name}`, 48),
    ...over,
  }
}

export function makeIdempotencyOutcome(name: string, over: Partial<IdempotencyOutcome> = {}): IdempotencyOutcome {
  const { callerClass, keyHash } = makeKeyClaim(name)
  return { bucket, merchantId: sampleMerchantId, callerClass, keyHash, sealed: bytesOf(`sealed ${name}`, 80), ...over }
}

export function makeEvent(objectId: string, name: string, over: Partial<EventRow> = {}): EventRow {
  return {
    bucket,
    merchantId: sampleMerchantId,
    eventId: `${objectId} ${name}`,
    type: 'receipt.paid',
    objectId,
    at: T0,
    body: '{}',
    mac: bytesOf(`event ${name}`, 48),
    ...over,
  }
}

export function makeMovement(name: string, over: Partial<LedgerRow> = {}): LedgerRow {
  return {
    requestId: name,
    kind: 'authorise',
    merchantId: sampleMerchantId,
    amountTiyin: 500_000,
    networkRef: `ref ${name}`,
    outcome: 'approved',
    reason: '',
    at: T0,
    ...over,
  }
}

export async function insertSampleReceipt(store: Store, receipt: ReceiptRow): Promise<ReceiptRow> {
  await store.write(insertReceipt, { receipt, ...makeReceiptExtras(receipt) })
  return receipt
}
