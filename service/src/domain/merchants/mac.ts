import type { Keyring } from '@tessera/vault/keyring'
import { makeRowAuthenticator, type MacField, type RowAuthenticator } from '@tessera/vault/rowmac'

import type { Credential, MerchantRow } from '../../store/merchants.ts'

/** Authenticates merchant rows: write access to the database is not enough to add a password or an origin. */
export type MerchantMac = RowAuthenticator<MerchantRow>

export function makeMerchantMac(keyring: Keyring, environment: string): MerchantMac {
  return makeRowAuthenticator(keyring, { table: 'merchants', environment, fieldsOf: merchantFields })
}

/** All columns of a merchant row in a fixed order. The credentials come last because their number varies. */
function merchantFields(merchant: MerchantRow): readonly MacField[] {
  return [
    merchant.id,
    merchant.bucket,
    merchant.version,
    merchant.state,
    merchant.name,
    merchant.organization,
    merchant.address,
    merchant.settings,
    merchant.createdAt,
    merchant.credentials.length,
    ...merchant.credentials.flatMap(credentialFields),
  ]
}

function credentialFields({ number, hash, pepperKeyId, createdAt, retiredAt }: Credential): readonly MacField[] {
  return [number, hash, pepperKeyId, createdAt, retiredAt]
}
