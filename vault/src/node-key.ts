import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomFillSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'

import { encodeFields, type MacField } from './fields.ts'

// What one node proves and opens when another hands a KEK over to it: an Ed25519 key signs its request, an X25519 key opens the reply.

/** The private keys of a node. */
export interface NodeKey {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string
  readonly signing: KeyObject
  readonly agreement: KeyObject
  /** As custodians enrol it: the two public keys, 128 hex digits. */
  readonly publicKey: string
}

/** Generates the keys of a node; `file` is the text of a file that only the service can read. */
export function generateNodeKey(name: string): { readonly key: NodeKey; readonly file: string } {
  const [signing, agreement] = [generateKeyPairSync('ed25519').privateKey, generateKeyPairSync('x25519').privateKey]
  const toText = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'der' }).toString('base64')
  const file = JSON.stringify({ name, signing: toText(signing), agreement: toText(agreement) })
  return { key: makeNodeKey(name, signing, agreement), file }
}

/** Reads what `generateNodeKey` made. Throws when it is damaged. */
export function readNodeKey(file: string): NodeKey {
  const { name, signing, agreement } = JSON.parse(file) as Record<string, unknown>
  if (typeof name !== 'string' || typeof signing !== 'string' || typeof agreement !== 'string') throw new Error('this is no node key')
  const toKey = (text: string): KeyObject => createPrivateKey({ key: Buffer.from(text, 'base64'), type: 'pkcs8', format: 'der' })
  return makeNodeKey(name, toKey(signing), toKey(agreement))
}

/** The first 16 hex digits of SHA-256 in groups of four, for people to compare. */
export function nodeFingerprint(publicKey: string): string {
  const digest = createHash('sha256').update('tessera node key').update(Buffer.from(publicKey, 'hex')).digest('hex')
  return (digest.slice(0, 16).match(/.{4}/g) ?? []).join('-')
}

/** Signs a request; `fields` have what binds it to one connection. */
export function signAsNode({ signing }: Pick<NodeKey, 'signing'>, fields: readonly MacField[]): Uint8Array {
  return sign(null, encodeFields(requestLabel, fields), signing)
}

/** Whether the node of this public key signed these fields. */
export function isSignedByNode(publicKey: string, fields: readonly MacField[], signature: Uint8Array): boolean {
  return verify(null, encodeFields(requestLabel, fields), toPublicKey('Ed25519', publicKey.slice(0, rawHexLength)), signature)
}

/**
 * Encrypts to a node: ephemeral key(32) nonce(12) ciphertext tag(16), by X25519, HKDF-SHA256 and AES-256-GCM, as in HPKE's base mode (RFC 9180) with
 * `fields` as the context.
 */
export function sealToNode(publicKey: string, plain: Uint8Array, fields: readonly MacField[]): Uint8Array {
  const { privateKey, publicKey: ephemeral } = generateKeyPairSync('x25519')
  const raw = rawPublicKey(ephemeral)
  const context = encodeFields(replyLabel, [raw, publicKey, ...fields])
  const key = deriveKey(privateKey, toPublicKey('X25519', publicKey.slice(rawHexLength)), context)
  const nonce = randomFillSync(new Uint8Array(nonceBytes))
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context)
  key.fill(0)
  return Uint8Array.from(Buffer.concat([raw, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]))
}

/** Opens what was sealed to this node, in memory that the caller wipes. Throws when it was changed, or is for another node or context. */
export function openAsNode(
  { agreement, publicKey }: Pick<NodeKey, 'agreement' | 'publicKey'>,
  blob: Uint8Array,
  fields: readonly MacField[],
): Uint8Array {
  if (blob.length < rawBytes + nonceBytes + tagBytes) throw new Error('this is too short')
  const raw = blob.subarray(0, rawBytes)
  const context = encodeFields(replyLabel, [raw, publicKey, ...fields])
  const key = deriveKey(agreement, toPublicKey('X25519', Buffer.from(raw).toString('hex')), context)
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(rawBytes, rawBytes + nonceBytes), { authTagLength: tagBytes })
  key.fill(0)
  decipher.setAAD(context).setAuthTag(blob.subarray(blob.length - tagBytes))
  const plain = decipher.update(blob.subarray(rawBytes + nonceBytes, blob.length - tagBytes))
  try {
    decipher.final()
    return plain
  } catch {
    plain.fill(0)
    throw new Error('this does not open')
  }
}

function makeNodeKey(name: string, signing: KeyObject, agreement: KeyObject): NodeKey {
  const publicKey = Buffer.concat([rawPublicKey(createPublicKey(signing)), rawPublicKey(createPublicKey(agreement))]).toString('hex')
  return { name, signing, agreement, publicKey }
}

function rawPublicKey(key: KeyObject): Uint8Array {
  return Uint8Array.from(Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url'))
}

function toPublicKey(crv: 'Ed25519' | 'X25519', hex: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv, x: Buffer.from(hex, 'hex').toString('base64url') }, format: 'jwk' })
}

function deriveKey(privateKey: KeyObject, publicKey: KeyObject, context: Uint8Array): Uint8Array {
  const shared = diffieHellman({ privateKey, publicKey })
  try {
    return new Uint8Array(hkdfSync('sha256', shared, new Uint8Array(0), context, 32))
  } finally {
    shared.fill(0)
  }
}

const requestLabel = 'tessera hand-over request'
const replyLabel = 'tessera hand-over reply'
const rawBytes = 32
const rawHexLength = rawBytes * 2
const nonceBytes = 12
const tagBytes = 16
