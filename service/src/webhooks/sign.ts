import { createHmac } from 'node:crypto'

/** What is signed: the id of the event, the second in which it is sent, and the body to the byte. */
export interface SignedMessage {
  /** The same each time the event is sent. */
  readonly id: string
  /** Unix milliseconds. */
  readonly at: number
  readonly body: string
}

/** The headers of a delivery (Standard Webhooks 1.0.0): one signature for each secret, so that a rotation breaks nobody. */
export function signatureHeaders(secrets: readonly Uint8Array[], { id, at, body }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
