import { countSeal, expectDek, isDekOf, type Dek } from './dek.ts'
import { keyIdIn, openLayer, sealLayer, SealBroken, type Layer } from './layer.ts'
import { drawSecret } from './random.ts'

/** Where events are delivered, and whose they are: a secret opens for this URL alone, so that nobody who writes rows turns a delivery elsewhere. */
export interface EndpointOwner {
  readonly environment: string
  readonly merchantId: string
  readonly endpointId: string
  readonly url: string
}

/** Draws the secret of a webhook endpoint: 256 bits. */
export function drawWebhookSecret(): Uint8Array {
  return drawSecret(secretBytes)
}

/** As the merchant keeps it: `whsec_` and base64 (Standard Webhooks). Shown once. */
export function tellWebhookSecret(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`
}

export function sealWebhookSecret(secret: Uint8Array, dek: Dek, owner: EndpointOwner): Uint8Array {
  expectDek(dek, 'webhook')
  countSeal(dek)
  return sealLayer(secretLayer(dek, owner), secret)
}

/** Opens what `sealWebhookSecret` sealed; the caller wipes it. Throws `SealBroken`, whatever is wrong. */
export function openWebhookSecret(sealed: Uint8Array, dek: Dek, owner: EndpointOwner): Uint8Array {
  if (!isDekOf(dek, 'webhook')) throw new SealBroken()
  return openLayer(secretLayer(dek, owner), sealed)
}

/** The data key of a sealed secret, 32 hex digits; null when it is none of ours. Proves nothing: opening does. */
export function keyIdOfWebhookSecret(sealed: Uint8Array): string | null {
  const keyId = keyIdIn(sealed)
  return keyId === null ? null : Buffer.from(keyId).toString('hex')
}

function secretLayer(dek: Dek, { environment, merchantId, endpointId, url }: EndpointOwner): Layer {
  return { key: dek.key, keyId: Buffer.from(dek.keyId, 'hex'), bound: [environment, merchantId, endpointId, url, 'webhook secret'] }
}

const secretBytes = 32
