import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'

import { expectDek, type Dek } from './dek.ts'
import { hmacSha256 } from './hmac.ts'

/** HMAC-SHA256 of a link of an audit chain: 32 bytes. The key id is part of the entry, so that links of a retired key are still checked. */
export function makeAuditLink(dek: Dek, link: Uint8Array): Uint8Array {
  expectDek(dek, 'audit')
  return hmacSha256(dek.key, link)
}

/** Signs checkpoints and exports of the audit (Ed25519, RFC 8032). Anyone who has the public key can verify them. */
export interface AuditSigner {
  /** The key of the key store that signs, 32 hex digits. */
  readonly keyId: string
  /** Subject public key info, PEM. */
  readonly publicKey: string
  /** 64 bytes as base64. */
  sign(text: string): string
}

/** The 32 bytes of a key of this purpose are the seed of its Ed25519 key pair. */
export function makeAuditSigner(dek: Dek): AuditSigner {
  expectDek(dek, 'audit_signing')
  const privateKey = privateKeyOf(dek.key)
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
  return Object.freeze({
    keyId: dek.keyId,
    publicKey,
    sign: (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  })
}

/** Reads the public keys of a text with one or more PEM blocks. Throws for a block that is no Ed25519 key. */
export function readAuditPublicKeys(pem: string): KeyObject[] {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []
  return blocks.map((block) => {
    const key = createPublicKey(block)
    if (key.asymmetricKeyType !== 'ed25519') throw new RangeError('a key of the audit is an Ed25519 public key')
    return key
  })
}

/** Whether one of the keys made this signature of the text. */
export function isAuditSignature(keys: readonly KeyObject[], text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64')
  if (bytes.length !== signatureBytes) return false
  return keys.some((key) => verify(null, Buffer.from(text), key, bytes))
}

function privateKeyOf(seed: KeyObject): KeyObject {
  const raw = seed.export()
  const der = Buffer.concat([pkcs8Ed25519, raw])
  raw.fill(0)
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  } finally {
    der.fill(0)
  }
}

/** What precedes the seed in PKCS #8 (RFC 8410 §7). */
const pkcs8Ed25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
const signatureBytes = 64
