import { createHash } from 'node:crypto'
import type { AuditEntry, AuditHead, AuditNote } from '../store/store.ts'

/** The head of a chain that has no entry yet. */
export function emptyChain(chain: string): AuditHead {
  return { chain, seq: 0, hash: new Uint8Array(HASH_BYTES) }
}

/** Links a note behind a head: h_i = SHA-256(0x00 ‖ h_{i−1} ‖ entry). The 0x00 keeps a link from ever reading as another kind of hash. */
export function linkEntry(head: AuditHead, note: AuditNote): AuditEntry {
  const seq = head.seq + 1
  const hash = createHash('sha256')
    .update(LINK)
    .update(head.hash)
    .update(encodeEntry(head.chain, seq, note))
    .digest()
  // A copy: the digest lies in a buffer that others share.
  return { ...note, chain: head.chain, seq, hash: new Uint8Array(hash) }
}

/**
 * The bytes of an entry, one encoding only: every field with its length before it (4 bytes, big-endian), integers as 8 bytes big-endian,
 * text as UTF-8. So no two entries have the same bytes.
 */
export function encodeEntry(chain: string, seq: number, note: AuditNote): Uint8Array {
  return Buffer.concat(
    [
      ...[Buffer.from(chain), integer(seq), integer(note.at)],
      ...[note.actor, note.action, note.merchantId, note.subject].map((text) => Buffer.from(text)),
      ...[integer(note.version), note.mac],
      ...[note.requestId, note.outcome].map((text) => Buffer.from(text)),
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
