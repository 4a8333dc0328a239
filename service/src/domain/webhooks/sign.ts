import { createHmac } from 'node:crypto'

/** The signed content: event id, time of sending in seconds, and the exact body. */
export interface SignedMessage {
  /** The event id; the same in every attempt. */
  readonly id: string
  /** Unix milliseconds. */
  readonly at: number
  readonly body: string
}

/** The signature headers of a delivery (Standard Webhooks 1.0.0): one signature per active secret, so that receivers keep verifying during a rotation. */
export function signatureHeaders(secrets: readonly Uint8Array[], { id, at, body }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
