import type {
  AuditNote,
  EventRow,
  IdempotencyAnswer,
  IdempotencyClaim,
  LedgerRow,
  OperationRow,
  ReceiptChange,
  ReceiptRow,
  Riders,
  Store,
} from '../store.ts'
import { bucket, bytesOf, keyId, merchantId, T0 } from './samples.fixture.ts'

// Rows of money that differ by their number alone.

export function receiptIdOf(number: number): string {
  return '67000000' + '07f3' + number.toString(16).padStart(12, '0')
}

export function makeReceipt(number: number, over: Partial<ReceiptRow> = {}): ReceiptRow {
  return {
    bucket,
    merchantId,
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
    looks: 0,
    ...over,
  }
}

/** The receipt's next version. */
export function nextReceipt(receipt: ReceiptRow, over: Partial<ReceiptRow> = {}): ReceiptRow {
  const version = receipt.version + 1
  return { ...receipt, version, mac: bytesOf(`mac ${receipt.receiptId} ${version}`, 48), ...over }
}

/** A change that is a next version and nothing else, unless told. */
export function makeChange(next: ReceiptRow, over: Partial<ReceiptChange> = {}): ReceiptChange {
  return { next, operations: [], cardLock: null, card: null, ...over }
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
    askedAt: T0,
    settledAt: 0,
    cardId: '',
    ...over,
  }
}

export function makeRiders(receipt: ReceiptRow, over: Partial<Riders> = {}): Riders {
  return { audit: makeReceiptNote(receipt), claim: null, answer: null, events: [], ...over }
}

function makeReceiptNote(receipt: ReceiptRow): AuditNote {
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
    merchantId,
    callerClass: 'server',
    keyHash: bytesOf(`key ${name}`),
    identity: bytesOf(`identity ${name}`),
    hashKeyId: keyId,
    claimedAt: T0,
    leaseUntil: T0 + 30_000,
    endsAt: T0 + 86_400_000,
    method: 'receipts.pay',
    subject: receiptIdOf(1),
    ...over,
  }
}

export function makeAnswer(name: string, over: Partial<IdempotencyAnswer> = {}): IdempotencyAnswer {
  const { callerClass, keyHash } = makeKeyClaim(name)
  return { bucket, merchantId, callerClass, keyHash, sealed: bytesOf(`sealed ${name}`, 80), ...over }
}

export function makeEvent(objectId: string, name: string, over: Partial<EventRow> = {}): EventRow {
  return { bucket, merchantId, eventId: `${objectId} ${name}`, type: 'receipt.paid', objectId, at: T0, body: '{}', ...over }
}

export function makeMovement(name: string, over: Partial<LedgerRow> = {}): LedgerRow {
  return {
    requestId: name,
    kind: 'authorise',
    merchantId,
    amountTiyin: 500_000,
    networkRef: `ref ${name}`,
    outcome: 'approved',
    reason: '',
    at: T0,
    ...over,
  }
}

export async function keepReceipt(store: Store, receipt: ReceiptRow): Promise<ReceiptRow> {
  await store.insertReceipt(receipt, makeRiders(receipt))
  return receipt
}
