import { keyIdOfEndpointPassword, openEndpointPassword, sealEndpointPassword } from '@tessera/vault/endpoint-password'
import type { Keyring } from '@tessera/vault/keyring'

import type { EndpointAddress, EndpointPayment, EndpointSaid, MerchantEndpoint } from '../endpoint/endpoint.ts'

import type { Merchant, MerchantBook } from './book.ts'
import type { MerchantDeeds } from './deeds.ts'

/** Finds merchants' endpoints in what is agreed with them. */
export interface EndpointBook {
  isSet(merchantId: string): Promise<boolean>
  /** Null: the merchant has none. Throws `SealBroken` and `RowTampered`. */
  find(merchantId: string): Promise<EndpointAddress | null>
}

export interface EndpointBookParts {
  readonly merchants: Pick<MerchantBook, 'find'>
  readonly keyring: Keyring
  readonly environment: string
}

export function openEndpointBook({ merchants, keyring, environment }: EndpointBookParts): EndpointBook {
  return Object.freeze({
    isSet: async (merchantId: string) => ((await merchants.find(merchantId))?.settings.endpoint ?? null) !== null,
    async find(merchantId: string) {
      const endpoint = (await merchants.find(merchantId))?.settings.endpoint ?? null
      if (endpoint === null) return null
      const { url, login } = endpoint
      const sealed = Uint8Array.from(Buffer.from(endpoint.sealedPassword, 'base64url'))
      const dek = await keyring.byId(keyIdOfEndpointPassword(sealed) ?? '')
      const opened = openEndpointPassword(sealed, dek, { environment, merchantId, url, login })
      const password = Buffer.from(opened).toString()
      opened.fill(0)
      return { url: new URL(url), login, password }
    },
  })
}

/** What an operator does to a merchant's endpoint. A sentence says why it was not done. */
export interface EndpointDeeds {
  set(merchantId: string, wish: EndpointWish): Promise<Merchant | string>
  remove(merchantId: string): Promise<Merchant | string>
  /** Asks it whether it would take a payment; nothing is changed, here or there. */
  test(payment: EndpointPayment): Promise<EndpointSaid | string>
}

export interface EndpointWish {
  readonly url: string
  readonly login: string
  readonly password: string
}

export interface EndpointDeedParts extends Omit<EndpointBookParts, 'merchants'> {
  readonly deeds: MerchantDeeds
  readonly endpoint: MerchantEndpoint
  /** A sentence for what cannot be an endpoint. */
  readonly readUrl: (text: string) => URL | string
}

export function makeEndpointDeeds({ deeds, endpoint, readUrl, keyring, environment }: EndpointDeedParts): EndpointDeeds {
  return Object.freeze({
    async set(merchantId: string, { url: text, login, password }: EndpointWish) {
      const read = readUrl(text)
      if (typeof read === 'string') return read
      if (!/^[\x21-\x39\x3b-\x7e]{1,64}$/.test(login)) return 'A login is 1 to 64 visible characters without a colon.'
      if (password.length < 1 || password.length > 256 || /\p{Cc}/u.test(password)) return 'A password is 1 to 256 characters in one line.'
      const dek = await keyring.active('webhook')
      const owner = { environment, merchantId, url: read.href, login }
      const sealedPassword = Buffer.from(sealEndpointPassword(Buffer.from(password), dek, owner)).toString('base64url')
      return deeds.change(merchantId, { settings: { endpoint: { url: read.href, login, sealedPassword } } })
    },
    remove: (merchantId: string) => deeds.change(merchantId, { settings: { endpoint: null } }),
    async test(payment: EndpointPayment) {
      if (!(await endpoint.isSet(payment.merchantId))) return 'The merchant has no endpoint.'
      return endpoint.check(payment, AbortSignal.timeout(testMsMax))
    },
  })
}

const testMsMax = 20_000
