import type { KeyObject } from 'node:crypto'

import { makeAuditSigner, readAuditPublicKeys, type AuditSigner } from '@tessera/vault/audit'
import type { Keyring, KeyStatus } from '@tessera/vault/keyring'

/** The signing keys of the audit, from the key store. */
export interface AuditSigners {
  active(): Promise<AuditSigner>
  /** Every signing key, with its public part; also those that were retired by a rotation. */
  list(): Promise<AuditSigningKey[]>
  publicKeys(): Promise<KeyObject[]>
}

export interface AuditSigningKey extends Pick<KeyStatus, 'keyId' | 'state' | 'createdAt'> {
  /** PEM. */
  readonly publicKey: string
}

export function makeAuditSigners(keyring: Pick<Keyring, 'active' | 'byId' | 'list'>): AuditSigners {
  const signers = new Map<string, AuditSigner>()
  return Object.freeze({ active, list, publicKeys })

  async function active(): Promise<AuditSigner> {
    const dek = await keyring.active('audit_signing')
    let signer = signers.get(dek.keyId)
    if (signer === undefined) signers.set(dek.keyId, (signer = makeAuditSigner(dek)))
    return signer
  }

  async function list(): Promise<AuditSigningKey[]> {
    await active()
    return listSigningKeys(keyring)
  }

  async function publicKeys(): Promise<KeyObject[]> {
    await active()
    return listPublicKeys(keyring)
  }
}

/** The public keys of the signing keys that there are. */
export async function listPublicKeys(keyring: Pick<Keyring, 'byId' | 'list'>): Promise<KeyObject[]> {
  return readAuditPublicKeys((await listSigningKeys(keyring)).map(({ publicKey }) => publicKey).join('\n'))
}

function listSigningKeys(keyring: Pick<Keyring, 'byId' | 'list'>): Promise<AuditSigningKey[]> {
  const keys = keyring.list().filter(({ purpose, state }) => purpose === 'audit_signing' && state !== 'destroyed')
  return Promise.all(
    keys.map(async ({ keyId, state, createdAt }) => ({
      keyId,
      state,
      createdAt,
      publicKey: makeAuditSigner(await keyring.byId(keyId)).publicKey,
    })),
  )
}
