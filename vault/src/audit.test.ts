import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'

import { isAuditSignature, makeAuditLink, makeAuditSigner, readAuditPublicKeys } from './audit.ts'
import { WrongKeyError, type Dek, type KeyPurpose } from './dek.ts'

function dekOf(purpose: KeyPurpose, hex: string): Dek {
  return { keyId: '0a'.repeat(16), purpose, owner: '', epoch: 1, createdAt: 0, key: createSecretKey(Buffer.from(hex, 'hex')) }
}

test('a signer is the Ed25519 key pair of its seed: test 2 of RFC 8032 §7.1', () => {
  const signer = makeAuditSigner(dekOf('audit_signing', '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'))
  const [key] = readAuditPublicKeys(signer.publicKey)
  assert.equal(
    key?.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex'),
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  )
  assert.equal(
    Buffer.from(signer.sign('r'), 'base64').toString('hex'),
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  )
})

test('a signature holds for its text and for one of the keys given, and for nothing else', () => {
  const [one, other] = ['11', '22'].map((byte) => makeAuditSigner(dekOf('audit_signing', byte.repeat(32))))
  const keys = readAuditPublicKeys(`${other?.publicKey ?? ''}\n${one?.publicKey ?? ''}`)
  const signature = one?.sign('text') ?? ''
  assert.equal(keys.length, 2)
  assert.equal(isAuditSignature(keys, 'text', signature), true)
  assert.equal(isAuditSignature(keys, 'texts', signature), false)
  assert.equal(isAuditSignature(keys.slice(0, 1), 'text', signature), false)
  assert.equal(isAuditSignature(keys, 'text', 'AAAA'), false)
})

test('a key of another purpose links and signs nothing', () => {
  const dek = dekOf('row_mac', '33'.repeat(32))
  assert.throws(() => makeAuditLink(dek, Uint8Array.of(1)), WrongKeyError)
  assert.throws(() => makeAuditSigner(dek), WrongKeyError)
})
