import { countSeal, expectDek, isDekOf, type Dek } from './dek.ts'
import { keyIdIn, openLayer, sealLayer, SealBroken, type Layer } from './layer.ts'

/** Whose endpoint a password is for, and where: it opens for this URL and login alone, so that nobody who writes rows has it sent elsewhere. */
export interface EndpointPasswordOwner {
  readonly environment: string
  readonly merchantId: string
  readonly url: string
  readonly login: string
}

/** Seals the password by which a merchant's own endpoint knows us, under a data key of purpose `webhook`. */
export function sealEndpointPassword(password: Uint8Array, dek: Dek, owner: EndpointPasswordOwner): Uint8Array {
  expectDek(dek, 'webhook')
  countSeal(dek)
  return sealLayer(passwordLayer(dek, owner), password)
}

/** Opens what `sealEndpointPassword` sealed; the caller wipes it. Throws `SealBroken`, whatever is wrong. */
export function openEndpointPassword(sealed: Uint8Array, dek: Dek, owner: EndpointPasswordOwner): Uint8Array {
  if (!isDekOf(dek, 'webhook')) throw new SealBroken()
  return openLayer(passwordLayer(dek, owner), sealed)
}

/** The data key of a sealed password, 32 hex digits; null when it is none of ours. Proves nothing: opening does. */
export function keyIdOfEndpointPassword(sealed: Uint8Array): string | null {
  const keyId = keyIdIn(sealed)
  return keyId === null ? null : Buffer.from(keyId).toString('hex')
}

function passwordLayer(dek: Dek, { environment, merchantId, url, login }: EndpointPasswordOwner): Layer {
  return { key: dek.key, keyId: Buffer.from(dek.keyId, 'hex'), bound: [environment, merchantId, url, login, 'endpoint password'] }
}
