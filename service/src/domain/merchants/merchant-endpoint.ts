import { keyIdOfEndpointPassword, openEndpointPassword, sealEndpointPassword } from '@tessera/vault/endpoint-password'
import { SettingProblem } from '@tessera/contract/setting-problems'
import type { Keyring } from '@tessera/vault/keyring'

import type { MerchantApiAddress, MerchantApiPayment, MerchantApiReply, MerchantApi } from '../../adapters/merchant-api/merchant-api.ts'

import type { AuditActor } from '../request-context.ts'

import type { Merchant, MerchantCache } from './merchant-cache.ts'
import type { MerchantAdministration } from './administration.ts'

/** Finds the merchant API endpoint in a merchant's settings. */
export interface MerchantEndpointLookup {
  hasEndpoint(merchantId: string): Promise<boolean>
  /** Null: the merchant has none. Throws `SealBrokenError` and `TamperedRowError`. */
  find(merchantId: string): Promise<MerchantApiAddress | null>
}

export interface MerchantEndpointLookupDependencies {
  readonly merchants: Pick<MerchantCache, 'find'>
  readonly keyring: Keyring
  readonly environment: string
}

export function makeMerchantEndpointLookup({
  merchants,
  keyring,
  environment,
}: MerchantEndpointLookupDependencies): MerchantEndpointLookup {
  return Object.freeze({
    hasEndpoint: async (merchantId: string) => ((await merchants.find(merchantId))?.settings.endpoint ?? null) !== null,
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

/** Endpoint management by operators. A refused operation returns a `SettingProblem`. */
export interface MerchantEndpointAdministration {
  set(merchantId: string, patch: MerchantEndpointPatch, by: AuditActor): Promise<Merchant | SettingProblem>
  remove(merchantId: string, by: AuditActor): Promise<Merchant | SettingProblem>
  /** Asks the endpoint whether it would accept a payment. Changes nothing on either side. */
  test(payment: MerchantApiPayment): Promise<MerchantApiReply | SettingProblem>
}

export interface MerchantEndpointPatch {
  readonly url: string
  readonly login: string
  readonly password: string
}

export interface MerchantEndpointAdministrationDependencies extends Omit<MerchantEndpointLookupDependencies, 'merchants'> {
  readonly administration: MerchantAdministration
  readonly endpoint: MerchantApi
  readonly readUrl: (text: string) => URL | SettingProblem
}

export function makeMerchantEndpointAdministration({
  administration,
  endpoint,
  readUrl,
  keyring,
  environment,
}: MerchantEndpointAdministrationDependencies): MerchantEndpointAdministration {
  return Object.freeze({
    async set(merchantId: string, { url: text, login, password }: MerchantEndpointPatch, by: AuditActor) {
      const read = readUrl(text)
      if (read instanceof SettingProblem) return read
      if (!/^[\x21-\x39\x3b-\x7e]{1,64}$/.test(login)) return new SettingProblem('endpoint_login')
      if (password.length < 1 || password.length > 256 || /\p{Cc}/u.test(password)) return new SettingProblem('endpoint_password')
      const dek = await keyring.active('webhook')
      const owner = { environment, merchantId, url: read.href, login }
      const sealedPassword = Buffer.from(sealEndpointPassword(Buffer.from(password), dek, owner)).toString('base64url')
      return administration.change(merchantId, { settings: { endpoint: { url: read.href, login, sealedPassword } } }, by)
    },
    remove: (merchantId: string, by: AuditActor) => administration.change(merchantId, { settings: { endpoint: null } }, by),
    async test(payment: MerchantApiPayment) {
      if (!(await endpoint.hasEndpoint(payment.merchantId))) return new SettingProblem('endpoint_missing')
      return endpoint.check(payment, AbortSignal.timeout(testTimeoutMs))
    },
  })
}

const testTimeoutMs = 20_000
