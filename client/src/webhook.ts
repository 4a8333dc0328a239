import { createHmac, timingSafeEqual } from 'node:crypto'

import type { EventType, WebhookEvent } from './wire.ts'

export interface WebhookOptions {
  /** The secret of the endpoint (`whsec_…`); two while it is being rotated. */
  readonly secrets: string | readonly string[]
  /** How far the timestamp may be from the current time, seconds. Default 300, as Standard Webhooks recommends. */
  readonly toleranceSeconds?: number
  /** The current time, Unix milliseconds; for tests. Default: the clock. */
  readonly now?: number
}

/** The headers of Node's `request.headers` or fetch's `Headers`. */
export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null }

/** A verified delivery: its event, discriminated by `type`, and its id. A repeated delivery has the same id. */
export type Delivery = { readonly [T in EventType]: WebhookEvent<T> & { readonly id: string } }[EventType]

/** The delivery could not be verified: respond with 400 and ignore it. */
export class WebhookRefused extends Error {
  override readonly name: string = 'WebhookRefused'
}

/**
 * Verifies a delivery (Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`) and returns its event. `body` is the raw body, before any
 * parser touches it. Delivery is at least once: store each `id`, and ignore deliveries you have already handled and event types you do not
 * know. Throws WebhookRefused, or TypeError when a secret is malformed.
 */
export function verifyWebhook(body: string | Uint8Array, headers: WebhookHeaders, options: WebhookOptions): Delivery {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ').slice(0, maxSignatures)
  checkTimestamp(timestamp, options)
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const secrets = typeof options.secrets === 'string' ? [options.secrets] : options.secrets
  const expectedSignatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', decodeSecret(secret)).update(`${id}.${timestamp}.`).update(bytes).digest('base64')}`,
  )
  const isValid = signatures.some((signature) => expectedSignatures.some((expected) => isEqual(expected, signature)))
  if (!isValid) throw new WebhookRefused('no signature matches: is this the secret of the endpoint that received the delivery?')
  return parseEvent(bytes, id)
}

function checkTimestamp(timestamp: string, { toleranceSeconds = 300, now = Date.now() }: WebhookOptions): void {
  const isRecent = Math.abs(Math.floor(now / 1000) - Number(timestamp)) <= toleranceSeconds
  if (!/^[0-9]{1,12}$/.test(timestamp) || !isRecent) {
    throw new WebhookRefused('webhook-timestamp is too far from now: the delivery is a replay, or a clock is wrong')
  }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw new WebhookRefused(`the header ${name} is missing`)
  return value
}

/** In Node's object, a header named `get` would be a string. */
function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

function decodeSecret(secret: string): Uint8Array {
  const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (bytes.length < minSecretBytes) throw new TypeError(`a webhook secret is whsec_ and at least ${minSecretBytes} bytes in base64`)
  return bytes
}

/** Compares in constant time. */
function isEqual(expected: string, actual: string): boolean {
  const [expectedBytes, actualBytes] = [Buffer.from(expected), Buffer.from(actual)]
  return expectedBytes.length === actualBytes.length && timingSafeEqual(expectedBytes, actualBytes)
}

function parseEvent(bytes: Uint8Array, id: string): Delivery {
  const event = parseJson(bytes)
  const isEvent = typeof event === 'object' && event !== null && 'type' in event && typeof event.type === 'string' && 'data' in event
  if (!isEvent) throw new WebhookRefused('the body is not an event')
  return { ...event, id } as unknown as Delivery
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}

/** How many signatures of one header are compared. */
const maxSignatures = 10
/** Standard Webhooks requires 24 to 64 bytes. */
const minSecretBytes = 24
