import type { Keyring } from '@tessera/vault/keyring'
import { isRowMacValid, macKeyIdOf, makeRowMac } from '@tessera/vault/rowmac'

import type { Clock } from '../../clock.ts'

/** Recognizes the form documents that this service issued, and the page each was issued for. */
export interface FormDocumentTokens {
  /** Issues a token that the document returns with its cards. It is not a secret: anyone who can fetch the document can read it. */
  issue(merchantId: string, origin: string): Promise<string>
  /** The only origin that may frame the document; null when the token is invalid, expired or of another merchant. */
  originOf(merchantId: string, text: string): Promise<string | null>
}

export interface FormDocumentTokenDependencies {
  readonly keyring: Keyring
  readonly clock: Pick<Clock, 'now'>
  readonly environment: string
}

export function makeFormDocumentTokens({ keyring, clock, environment }: FormDocumentTokenDependencies): FormDocumentTokens {
  return Object.freeze({
    async issue(merchantId: string, origin: string) {
      const at = clock.now()
      const mac = makeRowMac(await keyring.active('row_mac'), table, environment, [merchantId, origin, at])
      return `${String(at)}.${Buffer.from(origin).toString('base64url')}.${Buffer.from(mac).toString('base64url')}`
    },
    async originOf(merchantId: string, text: string) {
      const [, at, encodedOrigin, encodedMac] = tokenPattern.exec(text) ?? []
      if (at === undefined || encodedOrigin === undefined || encodedMac === undefined) return null
      const age = clock.now() - Number(at)
      if (age < 0 || age > lifetimeMs) return null
      const origin = Buffer.from(encodedOrigin, 'base64url').toString()
      const mac = Uint8Array.from(Buffer.from(encodedMac, 'base64url'))
      const isKnownKey = keyring.list().some(({ keyId, purpose }) => keyId === macKeyIdOf(mac) && purpose === 'row_mac')
      if (!isKnownKey) return null
      const dek = await keyring.byId(macKeyIdOf(mac))
      return isRowMacValid(dek, mac, table, environment, [merchantId, origin, Number(at)]) ? origin : null
    },
  })
}

/** Not a table name, so that a row's MAC is never valid for a document, nor the reverse. */
const table = 'form documents'
/** The MAC has 48 bytes, which are 64 characters. */
const tokenPattern = /^([0-9]{1,15})\.([A-Za-z0-9_-]{1,420})\.([A-Za-z0-9_-]{64})$/
const lifetimeMs = 24 * 3_600_000
