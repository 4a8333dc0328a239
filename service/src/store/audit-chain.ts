import { createHash } from 'node:crypto'
import type { AuditEntry, AuditHead, AuditRow } from './audit.ts'

/** The head of an empty chain. */
export function emptyChain(chain: string): AuditHead {
  return { chain, seq: 0, hash: new Uint8Array(HASH_BYTES) }
}

/** Appends an entry to a head: h_i = SHA-256(0x00 ‖ h_{i−1} ‖ entry). The 0x00 prefix separates links from other hashes. */
export function linkEntry(head: AuditHead, entry: AuditEntry): AuditRow {
  const seq = head.seq + 1
  const hash = createHash('sha256')
    .update(LINK)
    .update(head.hash)
    .update(encodeEntry(head.chain, seq, entry))
    .digest()
  // Copied, because the digest is a view of a shared buffer.
  return { ...entry, chain: head.chain, seq, hash: new Uint8Array(hash) }
}

/**
 * The canonical encoding of an entry: each field is preceded by its length (4 bytes, big-endian), integers are 8 bytes big-endian, text is
 * UTF-8. Different entries always have different bytes.
 */
export function encodeEntry(chain: string, seq: number, entry: AuditEntry): Uint8Array {
  return Buffer.concat(
    [
      Buffer.from(chain),
      integer(seq),
      integer(entry.at),
      ...[entry.actor, entry.action, entry.merchantId, entry.subject].map((text) => Buffer.from(text)),
      integer(entry.version),
      entry.mac,
      ...[entry.requestId, entry.outcome].map((text) => Buffer.from(text)),
    ].flatMap((field) => [length(field), field]),
  )
}

function length(field: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(field.length)
  return bytes
}

function integer(value: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}

const LINK = Uint8Array.of(0)
const HASH_BYTES = 32
