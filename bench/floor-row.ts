import type { Expiry } from '@tessera/contract/card'
import type { AuditEntry } from '../service/src/store/audit.ts'
import type { CardKey, CardRow } from '../service/src/store/cards.ts'

/** Rows with the same length as those of a real card, created without any of its work. */
export interface FloorRows {
  next(): { card: CardRow; audit: AuditEntry }
}

/** Ids rise with the seconds and are spread within a second, as real ones are, so that the index grows in the same way. */
export function makeFloorRows(merchantId: string): FloorRows {
  let count = 0
  return {
    next() {
      count += 1
      const at = Date.now()
      const cardId = seconds(at) + bucketText + spread(count)
      // New bytes for each row, as a real card has: an array shared by many rows would be sent to the worker once.
      const bytes = { tokenHash: bytesOf(32), blob: bytesOf(112), mac: bytesOf(48) }
      const card = { ...floorCard, ...bytes, merchantId, cardId, createdAt: at, endsAt: at + halfHourMs }
      return { card, audit: auditEntryOf(card) }
    },
  }
}

/** The key under which the floor stores the card of a token. */
export function keyOf(merchantId: string, token: string): CardKey {
  return { bucket, merchantId, cardId: token.slice(0, 24) }
}

function auditEntryOf({ merchantId, cardId, createdAt, mac }: CardRow): AuditEntry {
  const common = { actor: `merchant:${merchantId}`, merchantId, subject: cardId, requestId: '0123456789abcdef01234567' }
  return { ...common, at: createdAt, action: 'card.created', version: 1, mac, outcome: 'saved' }
}

function bytesOf(length: number): Uint8Array {
  return new Uint8Array(length).fill(length)
}

function seconds(at: number): string {
  return Math.floor(at / 1000)
    .toString(16)
    .padStart(8, '0')
}

/** Counts through 2^48 by an odd step: every number once, never two neighbours in a row. */
function spread(count: number): string {
  return ((BigInt(count) * 0x9e3779b97f4bn) & 0xffffffffffffn).toString(16).padStart(12, '0')
}

const bucket = 0x3ac
const bucketText = '03ac'
const halfHourMs = 1_800_000

const floorCard: CardRow = {
  bucket,
  merchantId: '',
  cardId: '',
  tokenHash: new Uint8Array(0),
  maskedPan: '860006******6311',
  type: '22618',
  expiry: '0399' as Expiry,
  recurrent: true,
  verified: false,
  state: 'live',
  version: 1,
  keyId: '0123456789abcdef0123456789abcdef',
  blob: new Uint8Array(0),
  mac: new Uint8Array(0),
  customer: null,
  account: null,
  consent: '{"asserted":"merchant"}',
  createdAt: 0,
  verifiedAt: null,
  endsAt: 0,
  endedAt: null,
}
