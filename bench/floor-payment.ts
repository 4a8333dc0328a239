import { receiptStates } from '@tessera/contract/receipt'

import type { AuditEntry } from '../service/src/store/audit.ts'
import { findReceipt, insertReceipt, updateReceipt, type ReceiptRow } from '../service/src/store/receipts.ts'
import type { Store } from '../service/src/store/store.ts'
import { makeEvent, makeKeyClaim, makeOperation, makeReceipt } from '../service/src/store/suite/money.fixture.ts'

/** The three commits of a receipt that is created and paid under a key, with rows of the length of real ones and nothing of the work for them. */
export interface FloorPayments {
  /** Returns the id of the receipt. */
  create(): Promise<string>
  pay(receiptId: string): Promise<ReceiptRow>
}

export function makeFloorPayments(store: Pick<Store, 'read' | 'write'>, merchantId: string): FloorPayments {
  let count = 0
  return {
    async create() {
      const receiptId = nextId()
      const receipt = {
        ...samples.receipt,
        merchantId,
        receiptId,
        account,
        createdAt: Date.now(),
        dueAt: Date.now() + halfDayMs,
        mac: bytesOf(48),
      }
      await store.write(insertReceipt, { receipt, audit: auditEntryOf(receipt, 'receipt.created') })
      return receiptId
    },
    async pay(receiptId) {
      const created = await store.read(findReceipt({ ...keyOf(receiptId), merchantId }))
      if (created === null) throw new Error('the floor knows no such receipt')
      const ids = { cardId: nextId(), requestId: nextId() }
      const claim = { ...samples.claim, merchantId, ...claimIds, ...claimTimes(), ...claimBytes(), keyHash: keyHashOf(ids.requestId) }
      const paying = {
        ...created,
        ...ids,
        ...card,
        state: receiptStates.debiting,
        version: 2,
        mac: bytesOf(48),
        dueAt: Date.now() + 30_000,
      }
      const operation = { ...samples.operation, ...ids, merchantId, receiptId, network: 'sandbox', mac: bytesOf(48) }
      await store.write(updateReceipt, {
        receipt: paying,
        operations: [operation],
        cardLock: null,
        card: null,
        audit: auditEntryOf(paying, 'receipt.operation_started'),
        idempotency: { claim, outcome: null },
      })
      const networkRef = `instant-${ids.requestId}`
      const paid = { ...paying, networkRef, state: receiptStates.paid, version: 3, mac: bytesOf(48), dueAt: null, payTime: Date.now() }
      const event = {
        ...samples.event,
        merchantId,
        objectId: receiptId,
        eventId: nextId(),
        at: Date.now(),
        body: eventBody,
        mac: bytesOf(48),
      }
      await store.write(updateReceipt, {
        receipt: paid,
        operations: [{ ...operation, networkRef, state: 'approved' }],
        cardLock: null,
        card: null,
        audit: auditEntryOf(paid, 'receipt.paid'),
        events: [event],
        idempotency: { claim: null, outcome: { ...claim, sealed: bytesOf(780) } },
      })
      return paid
    },
  }

  /** Ids rise with the seconds, as real ones do. */
  function nextId(): string {
    count += 1
    const seconds = Math.floor(Date.now() / 1000).toString(16)
    return seconds.padStart(8, '0') + bucketText + ((BigInt(count) * 0x9e3779b97f4bn) & 0xffffffffffffn).toString(16).padStart(12, '0')
  }
}

function keyOf(receiptId: string): { readonly bucket: number; readonly receiptId: string } {
  return { bucket: samples.receipt.bucket, receiptId }
}

function auditEntryOf({ merchantId, receiptId, version, mac }: ReceiptRow, action: string): AuditEntry {
  const common = { actor: `merchant:${merchantId}`, merchantId, subject: receiptId, requestId: '0123456789abcdef01234567' }
  return { ...common, at: Date.now(), action, version, mac, outcome: 'done', address: '127.0.0.1' }
}

function claimTimes() {
  const now = Date.now()
  return { claimedAt: now, leaseUntil: now + 30_000, endsAt: now + 2 * halfDayMs }
}

/** Another one each time, and in no order, as a real one is: an id has its random part at its end. */
function keyHashOf(requestId: string): Uint8Array {
  return new Uint8Array(Buffer.from(requestId.slice(-12).repeat(6).slice(0, 64), 'hex'))
}

function claimBytes() {
  return { identity: bytesOf(32), mac: bytesOf(48) }
}

function bytesOf(length: number): Uint8Array {
  return new Uint8Array(length).fill(length)
}

/** Made once, since they are made of hashes. */
const samples = { receipt: makeReceipt(0), operation: makeOperation(makeReceipt(0), ''), claim: makeKeyClaim(''), event: makeEvent('', '') }
const eventBody = 'x'.repeat(320)
const halfDayMs = 43_200_000
const bucketText = '0324'
const account = '[{"name":"order","title":"order","value":"a","main":true}]'
const card = { maskedPan: '860006******6311', cardExpiry: '0399', takenTiyin: 500_000, operationsDigest: new Uint8Array(32) }
const claimIds = { requestId: '0123456789abcdef01234567', processId: '0123456789abcdef' }
