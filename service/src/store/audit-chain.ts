import { hash } from 'node:crypto'

import { makeAuditLink } from '@tessera/vault/audit'
import type { Dek } from '@tessera/vault/dek'

import type { AuditEntry, AuditHead, AuditRow } from './audit.ts'
import { encodeAuditChanges } from './audit-changes.ts'

/** The head of an empty chain. */
export function emptyChain(chain: string): AuditHead {
  return { chain, seq: 0, hash: new Uint8Array(HASH_BYTES) }
}

/** Appends an entry to a head under the audit key. Throws without a key: an entry that is not linked under one would be refused later. */
export function linkEntry(key: Dek | null, head: AuditHead, { address = '', changes = [], ...entry }: AuditEntry): AuditRow {
  if (key === null) throw new Error('the store has no audit key, so it can write no audit entry')
  const row = { ...entry, chain: head.chain, seq: head.seq + 1, keyId: key.keyId, address, changes: encodeAuditChanges(changes) }
  return { ...row, hash: makeLinkHash(key, head.hash, row) }
}

/**
 * The hash of an entry after the hash of the entry before it: h_i = HMAC-SHA256(audit key, 0x00 ‖ h_{i−1} ‖ entry). Entries from before the chain had a
 * key (`keyId` is empty): h_i = SHA-256(0x00 ‖ h_{i−1} ‖ entry). The 0x00 prefix separates links from other hashes.
 */
export function makeLinkHash(key: Dek | null, previous: Uint8Array, row: Omit<AuditRow, 'hash'>): Uint8Array {
  const link = encodeEntry(row, previous)
  // Copied, because a digest may be a view of a shared buffer.
  return new Uint8Array(key === null ? hash('sha256', link, 'buffer') : makeAuditLink(key, link))
}

/**
 * The canonical encoding of an entry: each field is preceded by its length (4 bytes, big-endian), integers are 8 bytes big-endian, text is
 * UTF-8. Different entries always have different bytes. It is written into one buffer, because a buffer for each field takes
 * nearly twice the time, in the thread that commits. With `previous`, 0x00 and the previous hash precede it.
 */
export function encodeEntry(row: Omit<AuditRow, 'hash'>, previous: Uint8Array | null = null): Uint8Array {
  const { chain, seq, at, actor, action, merchantId, subject, version, mac, requestId, outcome, keyId, address, changes } = row
  const fields = [chain, seq, at, actor, action, merchantId, subject, version, mac, requestId, outcome]
  if (keyId !== '') fields.push(keyId, address, changes)
  const start = previous === null ? 0 : 1 + previous.length
  const encoded = Buffer.allocUnsafe(fields.reduce<number>((sum, field) => sum + LENGTH_BYTES + lengthOf(field), start))
  if (previous !== null) {
    encoded[0] = LINK
    encoded.set(previous, 1)
  }
  let end = start
  for (const field of fields) {
    end = encoded.writeUInt32BE(lengthOf(field), end)
    if (typeof field === 'string') end += encoded.write(field, end)
    else if (typeof field === 'number') end = encoded.writeBigInt64BE(BigInt(field), end)
    else {
      encoded.set(field, end)
      end += field.length
    }
  }
  return encoded
}

function lengthOf(field: string | number | Uint8Array): number {
  if (typeof field === 'number') return INTEGER_BYTES
  return typeof field === 'string' ? Buffer.byteLength(field) : field.length
}

const LINK = 0x00
const HASH_BYTES = 32
const LENGTH_BYTES = 4
const INTEGER_BYTES = 8
