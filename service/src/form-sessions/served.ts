import type { Keyring } from '@tessera/vault/keyring'
import { isRowMacOf, macKeyIdOf, makeRowMac } from '@tessera/vault/rowmac'

import type { Clock } from '../clock.ts'

/** Knows again the documents of the form that this service made, and for which page each was. */
export interface ServedForms {
  /** Goes into the document, and comes back with its cards. No secret: whoever can fetch the document can read it. */
  issue(merchantId: string, origin: string): Promise<string>
  /** The origin of the page that alone may frame the document; null for a text that is not of this merchant, not ours, or a day old. */
  originOf(merchantId: string, text: string): Promise<string | null>
}

export interface ServedParts {
  readonly keyring: Keyring
  readonly clock: Pick<Clock, 'now'>
  readonly environment: string
}

export function makeServedForms({ keyring, clock, environment }: ServedParts): ServedForms {
  return Object.freeze({
    async issue(merchantId: string, origin: string) {
      const at = clock.now()
      const mac = makeRowMac(await keyring.active('row_mac'), table, environment, [merchantId, origin, at])
      return `${String(at)}.${Buffer.from(origin).toString('base64url')}.${Buffer.from(mac).toString('base64url')}`
    },
    async originOf(merchantId: string, text: string) {
      const [, at, written, signed] = shape.exec(text) ?? []
      if (at === undefined || written === undefined || signed === undefined) return null
      const age = clock.now() - Number(at)
      if (age < 0 || age > lifeMs) return null
      const origin = Buffer.from(written, 'base64url').toString()
      const mac = Uint8Array.from(Buffer.from(signed, 'base64url'))
      const known = keyring.list().some(({ keyId, purpose }) => keyId === macKeyIdOf(mac) && purpose === 'row_mac')
      if (!known) return null
      const dek = await keyring.byId(macKeyIdOf(mac))
      return isRowMacOf(dek, mac, table, environment, [merchantId, origin, Number(at)]) ? origin : null
    },
  })
}

/** Of no table: so no MAC of a row is taken for a document's, nor the other way round. */
const table = 'form documents'
/** 48 bytes of MAC are 64 characters. */
const shape = /^([0-9]{1,15})\.([A-Za-z0-9_-]{1,420})\.([A-Za-z0-9_-]{64})$/
const lifeMs = 24 * 3_600_000
