import { countSeal, expectDek, isDekOf, type Dek } from './dek.ts'
import { keyIdIn, openLayer, sealLayer, SealBrokenError, type Layer } from './layer.ts'

/** The endpoint that a password is for. It opens for this URL and login only, so that someone who can write rows cannot have it sent elsewhere. */
export interface EndpointPasswordOwner {
  readonly environment: string
  readonly merchantId: string
  readonly url: string
  readonly login: string
}

/** Seals the password with which the service authenticates to a merchant's own endpoint, under a data key of purpose `webhook`. */
export function sealEndpointPassword(password: Uint8Array, dek: Dek, owner: EndpointPasswordOwner): Uint8Array {
  expectDek(dek, 'webhook')
  countSeal(dek)
  return sealLayer(passwordLayer(dek, owner), password)
}

/** Opens what `sealEndpointPassword` sealed; the caller wipes it. Throws `SealBrokenError`, whatever is wrong. */
export function openEndpointPassword(sealed: Uint8Array, dek: Dek, owner: EndpointPasswordOwner): Uint8Array {
  if (!isDekOf(dek, 'webhook')) throw new SealBrokenError()
  return openLayer(passwordLayer(dek, owner), sealed)
}

/** The data key of a sealed password, 32 hex digits; null for a foreign blob. This proves nothing; opening does. */
export function keyIdOfEndpointPassword(sealed: Uint8Array): string | null {
  const keyId = keyIdIn(sealed)
  return keyId === null ? null : Buffer.from(keyId).toString('hex')
}

function passwordLayer(dek: Dek, { environment, merchantId, url, login }: EndpointPasswordOwner): Layer {
  return { key: dek.key, keyId: Buffer.from(dek.keyId, 'hex'), bound: [environment, merchantId, url, login, 'endpoint password'] }
}
