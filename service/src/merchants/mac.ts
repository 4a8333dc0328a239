import { KeyDestroyed, KeyUnknown, type Keyring } from '@tessera/vault/keyring'
import { isRowMacOf, macKeyIdOf, makeRowMac, type MacField } from '@tessera/vault/rowmac'

import type { Credential, MerchantRow } from '../store/store.ts'

/** Makes and checks the MAC of merchant rows: nobody who merely writes the database gives a merchant a password or an origin. */
export interface MerchantMac {
  /** The same row with its MAC. */
  seal(merchant: MerchantRow): Promise<MerchantRow>
  isTrue(merchant: MerchantRow): Promise<boolean>
}

export function makeMerchantMac(keyring: Keyring, environment: string): MerchantMac {
  return Object.freeze({
    async seal(merchant: MerchantRow) {
      return { ...merchant, mac: makeRowMac(await keyring.active('row_mac'), table, environment, merchantFields(merchant)) }
    },
    async isTrue(merchant: MerchantRow) {
      try {
        const dek = await keyring.byId(macKeyIdOf(merchant.mac))
        return dek.purpose === 'row_mac' && isRowMacOf(dek, merchant.mac, table, environment, merchantFields(merchant))
      } catch (err) {
        if (err instanceof KeyUnknown || err instanceof KeyDestroyed) return false
        throw err
      }
    },
  })
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

const table = 'merchants'
