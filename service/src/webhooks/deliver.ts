import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import type { DeliveryRow, EndpointRow, EventRow, Store } from '../store/store.ts'

import type { Guard } from '../outbound/guard.ts'
import type { Post, Posted } from './post.ts'
import { waitAfter } from './schedule.ts'
import { openSecrets } from './secrets.ts'
import { signatureHeaders } from './sign.ts'

export interface DeliverParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly environment: string
  readonly clock: Clock
  readonly guard: Guard
  readonly post: Post
  /** From 0 to below 1. */
  readonly random: () => number
  /** Told of what could not even be tried, and why. */
  readonly failed: (err: unknown) => void
}

/** Tries one claimed delivery, and keeps what came of it. An attempt that a stop cuts short is left to the lease: nobody knows how it ended. */
export async function deliver(parts: DeliverParts, delivery: DeliveryRow, claimId: string, signal: AbortSignal): Promise<void> {
  const startedAt = parts.clock.now()
  const found = await parts.store.findDelivery(delivery)
  const said = found === null ? gone : await attempt(parts, found, signal)
  if (said.outcome === 'stopped') return

  const now = parts.clock.now()
  const wait = said.outcome === 'delivered' || said === gone ? null : waitAfter(delivery.tries, parts.random())
  const { bucket, endpointId, eventId, attempts: number } = delivery
  await parts.store.settleDelivery({
    ...{ claimId, now, dueAt: wait === null ? null : now + wait },
    state: said.outcome === 'delivered' ? 'delivered' : wait === null ? 'dead' : 'waiting',
    attempt: { bucket, endpointId, eventId, number, at: startedAt, tookMs: now - startedAt, outcome: said.outcome, status: said.status },
  })
}

/** What became of one attempt, in a word and with its HTTP status. */
export type Said = Posted | { readonly outcome: 'endpoint_removed' | 'forbidden_url' | 'not_signed'; readonly status: 0 }

/** What one attempt works with. */
export type AttemptParts = Pick<DeliverParts, 'keyring' | 'environment' | 'clock' | 'guard' | 'post' | 'failed'>

/** Signs an event and posts it to where the guard lets it go. Never throws. */
export async function attempt(parts: AttemptParts, { event, endpoint }: Attempted, signal: AbortSignal): Promise<Said> {
  if (endpoint === null) return gone
  const url = parts.guard.readUrl(endpoint.url)
  if (typeof url === 'string') return { outcome: 'forbidden_url', status: 0 }
  const headers = await sign(parts, event, endpoint)
  return headers === null ? { outcome: 'not_signed', status: 0 } : parts.post({ url, headers, body: event.body }, signal)
}

/** Null where the secret does not open: the row is not as we wrote it, or its key is gone. */
async function sign(
  { keyring, environment, clock, failed }: AttemptParts,
  event: Attempted['event'],
  endpoint: EndpointRow,
): Promise<Signed | null> {
  const at = clock.now()
  try {
    const secrets = await openSecrets(keyring, environment, endpoint, at)
    const headers = signatureHeaders(secrets, { id: event.eventId, at, body: event.body })
    for (const secret of secrets) secret.fill(0)
    return headers
  } catch (err) {
    failed(err)
    return null
  }
}

interface Attempted {
  readonly event: Pick<EventRow, 'eventId' | 'body'>
  readonly endpoint: EndpointRow | null
}

type Signed = ReturnType<typeof signatureHeaders>

const gone: Said = Object.freeze({ outcome: 'endpoint_removed', status: 0 })
