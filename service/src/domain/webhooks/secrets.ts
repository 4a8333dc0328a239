import type { Keyring } from '@tessera/vault/keyring'
import {
  createWebhookSecret,
  keyIdOfWebhookSecret,
  openWebhookSecret,
  sealWebhookSecret,
  formatWebhookSecret,
} from '@tessera/vault/webhook'

import type { EndpointKey, EndpointRow } from '../../store/webhook-endpoints.ts'

/** A new secret: the sealed form is stored, the text is returned to the merchant once. */
export interface NewWebhookSecret {
  readonly sealed: Uint8Array
  /** `whsec_…` */
  readonly formatted: string
}

export async function issueWebhookSecret(
  keyring: Keyring,
  environment: string,
  of: EndpointKey & { readonly url: string },
): Promise<NewWebhookSecret> {
  const secret = createWebhookSecret()
  const { merchantId, endpointId, url } = of
  const sealed = sealWebhookSecret(secret, await keyring.active('webhook'), { environment, merchantId, endpointId, url })
  const formatted = formatWebhookSecret(secret)
  secret.fill(0)
  return { sealed, formatted }
}

/** Opens the active signing secrets of an endpoint, newest first. Throws `SealBrokenError`. The caller wipes them. */
export async function openWebhookSecrets(keyring: Keyring, environment: string, endpoint: EndpointRow, now: number): Promise<Uint8Array[]> {
  const { merchantId, endpointId, url, secret, previousSecret, previousSecretEndsAt } = endpoint
  const live = previousSecret !== null && now < previousSecretEndsAt ? [secret, previousSecret] : [secret]
  return Promise.all(
    live.map(async (sealed) =>
      openWebhookSecret(sealed, await keyring.byId(keyIdOfWebhookSecret(sealed) ?? ''), { environment, merchantId, endpointId, url }),
    ),
  )
}
