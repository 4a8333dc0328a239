import type { KeyObject } from 'node:crypto'

import { isAuditSignature, type AuditSigner } from '@tessera/vault/audit'

import type { AuditHead } from '../../store/audit.ts'

/** A signed statement of the service: at this time, these were the last entries of its audit chains. */
export interface Checkpoint {
  readonly environment: string
  /** ISO 8601. */
  readonly at: string
  readonly heads: readonly AuditHead[]
  /** The key of the key store that signed, 32 hex digits. */
  readonly keyId: string
}

/** A checkpoint with its one line of JSON. */
export interface SignedCheckpoint extends Checkpoint {
  readonly line: string
}

/**
 * Signs heads. The signature, the last member of the line, is made over the line without it: `{"type":"tessera.audit.checkpoint/1",…,"keyId":"…"}`.
 */
export function signCheckpoint(signer: AuditSigner, { environment, at, heads }: Omit<Checkpoint, 'keyId'>): SignedCheckpoint {
  const line = signJson(signer, { type: checkpointType, environment, at, chains: formatHeads(heads), keyId: signer.keyId })
  return { environment, at, heads, keyId: signer.keyId, line }
}

/** Reads a checkpoint from a line, which may have a syslog header before it; null when there is none. Its signature is not verified. */
export function readCheckpoint(text: string): SignedCheckpoint | null {
  return readHeads(text, checkpointType)?.checkpoint ?? null
}

/** Reads the heads of a signed line of this type, and its other members. Its signature is not verified. */
export function readHeads(
  text: string,
  type: string,
): { readonly checkpoint: SignedCheckpoint; readonly members: Record<string, unknown> } | null {
  const line = text.slice(Math.max(0, text.indexOf('{"type"'))).trim()
  const members = parseObject(line)
  if (members === null) return null
  const { type: found, environment, at, chains, keyId, signature } = members
  if (found !== type || !Array.isArray(chains) || typeof signature !== 'string') return null
  if (typeof environment !== 'string' || typeof at !== 'string' || typeof keyId !== 'string') return null
  const heads = chains.map(readHead)
  return heads.every((head) => head !== null) ? { checkpoint: { environment, at, heads, keyId, line }, members } : null
}

/** Whether one of the keys signed this line. */
export function isSignedLine(keys: readonly KeyObject[], line: string): boolean {
  const [, text, signature] = /^(\{.*),"signature":"([A-Za-z0-9+/=]+)"\}$/.exec(line) ?? []
  return text !== undefined && signature !== undefined && isAuditSignature(keys, `${text}}`, signature)
}

/** A line of JSON with the signature of its other members as the last one. */
export function signJson(signer: AuditSigner, content: { readonly type: string; readonly [member: string]: unknown }): string {
  const text = JSON.stringify(content)
  return `${text.slice(0, -1)},"signature":"${signer.sign(text)}"}`
}

/** Heads as members of a signed line. */
export function formatHeads(
  heads: readonly AuditHead[],
): readonly { readonly chain: string; readonly seq: number; readonly hash: string }[] {
  return heads.map(({ chain, seq, hash }) => ({ chain, seq, hash: Buffer.from(hash).toString('hex') }))
}

function readHead(value: unknown): AuditHead | null {
  const { chain, seq, hash } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  if (typeof chain !== 'string' || typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return null
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return null
  return { chain, seq, hash: Uint8Array.from(Buffer.from(hash, 'hex')) }
}

/** A JSON object; null for any other text. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

const checkpointType = 'tessera.audit.checkpoint/1'
