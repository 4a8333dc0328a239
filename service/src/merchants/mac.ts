import type { Keyring } from '@tessera/vault/keyring'
import { makeRowMacs, type MacField, type RowMacs } from '@tessera/vault/rowmac'

import type { Credential, MerchantRow } from '../store/store.ts'

/** Nobody who merely writes the database gives a merchant a password or an origin. */
export type MerchantMac = RowMacs<MerchantRow>

export function makeMerchantMac(keyring: Keyring, environment: string): MerchantMac {
  return makeRowMacs(keyring, { table: 'merchants', environment, fieldsOf: merchantFields })
}

/** Everything that a merchant row says, in a fixed order; the credentials last, since there are more or fewer of them. */
function merchantFields(merchant: MerchantRow): readonly MacField[] {
  return [
    ...[merchant.id, merchant.bucket, merchant.version, merchant.state],
    ...[merchant.name, merchant.organization, merchant.address, merchant.settings, merchant.createdAt],
    ...[merchant.credentials.length, ...merchant.credentials.flatMap(credentialFields)],
  ]
}

function credentialFields({ number, hash, pepperKeyId, createdAt, retiredAt }: Credential): readonly MacField[] {
  return [number, hash, pepperKeyId, createdAt, retiredAt]
}
