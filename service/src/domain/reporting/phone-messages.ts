import { hashPhone } from '@tessera/vault/keyed-hashes'
import type { Keyring } from '@tessera/vault/keyring'

import { listSmsSendsOfMerchant, type SmsSendRow } from '../../store/sms-sends.ts'
import type { Store } from '../../store/store.ts'

/** The newest SMS that were sent for a merchant to a phone, given as the digits of an international number. */
export type FindMessagesOfPhone = (of: { readonly merchantId: string }, phone: string, count: number) => Promise<SmsSendRow[]>

/** The phone is stored nowhere: it is hashed under each key that messages may be stored under. */
export function makeFindMessagesOfPhone({
  store,
  keyring,
}: {
  readonly store: Pick<Store, 'read'>
  readonly keyring: Pick<Keyring, 'list' | 'byId'>
}): FindMessagesOfPhone {
  return async ({ merchantId }, phone, count) => {
    const keys = keyring.list().filter(({ purpose, state }) => purpose === 'phone' && state !== 'destroyed')
    const found = await Promise.all(
      keys.map(async ({ keyId }) => {
        const phoneHash = hashPhone(await keyring.byId(keyId), Buffer.from(phone, 'latin1'))
        return store.read(listSmsSendsOfMerchant({ keyId, phoneHash, merchantId, count }))
      }),
    )
    return found
      .flat()
      .sort((one, other) => other.requestedAt - one.requestedAt)
      .slice(0, count)
  }
}
