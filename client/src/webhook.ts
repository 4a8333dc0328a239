import { createHmac, timingSafeEqual } from 'node:crypto'

import type { EventType, WebhookEvent } from './wire.ts'

export interface WebhookOptions {
  /** The secret of the endpoint (`whsec_…`); two while it is being rotated. */
  readonly secrets: string | readonly string[]
  /** How far the timestamp may be from now, seconds. Default 300, as Standard Webhooks says. */
  readonly toleranceSeconds?: number
  /** Unix milliseconds; for tests. Default: the clock. */
  readonly now?: number
}

/** Either the object of node's `request.headers` or fetch's Headers. */
export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null }

/** A delivery that is to be believed: its event, by `type`, and the id under which it comes again when it is repeated. */
export type Delivery = { readonly [T in EventType]: WebhookEvent<T> & { readonly id: string } }[EventType]

/** The delivery is not to be believed: answer 400 and do nothing. */
export class WebhookRefused extends Error {
  override readonly name: string = 'WebhookRefused'
}

/**
 * Checks a delivery (Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`) and gives its event. `body` is the raw body, before anything
 * parsed it. Delivery is at least once: keep `id` and ignore what you have seen, and a `type` that you do not know. Throws WebhookRefused;
 * TypeError for a secret that is none.
 */
export function verifyWebhook(body: string | Uint8Array, headers: WebhookHeaders, options: WebhookOptions): Delivery {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ').slice(0, SIGNATURES_MAX)
  checkTimestamp(timestamp, options)
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const secrets = typeof options.secrets === 'string' ? [options.secrets] : options.secrets
  const right = secrets.map((secret) =>
    createHmac('sha256', secretBytes(secret)).update(`${id}.${timestamp}.`).update(bytes).digest('base64'),
  )
  const isRight = signatures.some((given) => right.some((expected) => isSameText(`v1,${expected}`, given)))
  if (!isRight) throw new WebhookRefused('no signature of the delivery matches: is this the secret of the endpoint that was called?')
  return readEvent(bytes, id)
}

function checkTimestamp(timestamp: string, { toleranceSeconds = 300, now = Date.now() }: WebhookOptions): void {
  const isNear = Math.abs(Math.floor(now / 1000) - Number(timestamp)) <= toleranceSeconds
  if (!/^[0-9]{1,12}$/.test(timestamp) || !isNear) {
    throw new WebhookRefused('webhook-timestamp is too far from now: a replay, or a clock that is wrong')
  }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = hasGet(headers) ? headers.get(name) : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw new WebhookRefused(`the header ${name} is missing`)
  return value
}

/** A header called `get` would be text. */
function hasGet(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

function secretBytes(secret: string): Uint8Array {
  const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (bytes.length < SECRET_BYTES_MIN) throw new TypeError(`a webhook secret is whsec_ and at least ${SECRET_BYTES_MIN} bytes in base64`)
  return bytes
}

function isSameText(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function readEvent(bytes: Uint8Array, id: string): Delivery {
  const event = readJson(bytes)
  const isEvent = typeof event === 'object' && event !== null && 'type' in event && typeof event.type === 'string' && 'data' in event
  if (!isEvent) throw new WebhookRefused('the body is no event')
  return { ...event, id } as unknown as Delivery
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}

/** How many signatures of one header are looked at. */
const SIGNATURES_MAX = 10
/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES_MIN = 24
