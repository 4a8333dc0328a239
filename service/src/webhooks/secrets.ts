import type { Keyring } from '@tessera/vault/keyring'
import { drawWebhookSecret, keyIdOfWebhookSecret, openWebhookSecret, sealWebhookSecret, tellWebhookSecret } from '@tessera/vault/webhook'

import type { EndpointKey, EndpointRow } from '../store/store.ts'

/** A new secret: sealed for us, and told once to the merchant. */
export interface NewSecret {
  readonly sealed: Uint8Array
  /** `whsec_…` */
  readonly told: string
}

export async function drawSecretOf(keyring: Keyring, environment: string, of: EndpointKey & { readonly url: string }): Promise<NewSecret> {
  const secret = drawWebhookSecret()
  const { merchantId, endpointId, url } = of
  const sealed = sealWebhookSecret(secret, await keyring.active('webhook'), { environment, merchantId, endpointId, url })
  const told = tellWebhookSecret(secret)
  secret.fill(0)
  return { sealed, told }
}

/** Opens what an endpoint's deliveries are signed with now: the newest first. Throws `SealBroken`. The caller wipes them. */
export async function openSecrets(keyring: Keyring, environment: string, endpoint: EndpointRow, now: number): Promise<Uint8Array[]> {
  const { merchantId, endpointId, url, secret, secretBefore, beforeEndsAt } = endpoint
  const live = secretBefore !== null && now < beforeEndsAt ? [secret, secretBefore] : [secret]
  return Promise.all(
    live.map(async (sealed) =>
      openWebhookSecret(sealed, await keyring.byId(keyIdOfWebhookSecret(sealed) ?? ''), { environment, merchantId, endpointId, url }),
    ),
  )
}
