import { countSeal, expectDek, isDekOf, type Dek } from './dek.ts'
import { keyIdIn, openLayer, sealLayer, SealBrokenError, type Layer } from './layer.ts'
import { randomSecret } from './random.ts'

/** The endpoint of a webhook secret. It opens for this URL only, so that someone who can write rows cannot redirect a delivery. */
export interface WebhookEndpointOwner {
  readonly environment: string
  readonly merchantId: string
  readonly endpointId: string
  readonly url: string
}

/** Generates the secret of a webhook endpoint: 256 bits. */
export function createWebhookSecret(): Uint8Array {
  return randomSecret(secretBytes)
}

/** The secret as shown to the merchant, once: `whsec_` and base64 (Standard Webhooks). */
export function formatWebhookSecret(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`
}

export function sealWebhookSecret(secret: Uint8Array, dek: Dek, owner: WebhookEndpointOwner): Uint8Array {
  expectDek(dek, 'webhook')
  countSeal(dek)
  return sealLayer(secretLayer(dek, owner), secret)
}

/** Opens what `sealWebhookSecret` sealed; the caller wipes it. Throws `SealBrokenError`, whatever is wrong. */
export function openWebhookSecret(sealed: Uint8Array, dek: Dek, owner: WebhookEndpointOwner): Uint8Array {
  if (!isDekOf(dek, 'webhook')) throw new SealBrokenError()
  return openLayer(secretLayer(dek, owner), sealed)
}

/** The data key of a sealed secret, 32 hex digits; null for a foreign blob. This proves nothing; opening does. */
export function keyIdOfWebhookSecret(sealed: Uint8Array): string | null {
  const keyId = keyIdIn(sealed)
  return keyId === null ? null : Buffer.from(keyId).toString('hex')
}

function secretLayer(dek: Dek, { environment, merchantId, endpointId, url }: WebhookEndpointOwner): Layer {
  return { key: dek.key, keyId: Buffer.from(dek.keyId, 'hex'), bound: [environment, merchantId, endpointId, url, 'webhook secret'] }
}

const secretBytes = 32
