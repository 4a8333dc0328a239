import type { Language, Profile } from '@tessera/contract/envelope'
import type { Role } from '@tessera/contract/operations'

import type { IdempotencyHandle } from './idempotency/handle.ts'
import type { MerchantLimits } from './limits/merchant-limits.ts'

/**
 * One request, as operations and domain know it. The pipeline makes it once and everything below hands it on unchanged.
 *
 * It holds what differs from request to request. Store, keyring, clock and adapters are dependencies of the domain services instead, so that
 * background jobs run the same functions without a request (docs/decisions/0031-request-context.md).
 *
 * `Outcome` is what the operation comes to, as the domain knows it: it is stored under the idempotency key in the same transaction as the effect.
 * A function that records no outcome takes a plain `RequestContext`, and so accepts any.
 */
export interface RequestContext<Outcome = never> {
  readonly caller: CallerIdentity
  /** The caller's merchant; empty where the operation needs no authentication. */
  readonly merchantId: string
  /** The shard of the merchant's rows. */
  readonly bucket: number
  /** For audit entries: `merchant:<id>`, or `user:<id>` for a user of the dashboard. */
  readonly actor: string
  /** 24 hex digits. Log, audit and the caller know the request by it. */
  readonly requestId: string
  readonly profile: Profile
  /** For messages and texts to people. */
  readonly language: Language
  /** The client's address, for limits only. */
  readonly address: string
  /** The Origin header; null without one, so the request is from no browser. */
  readonly origin: string | null
  /** The card number that the reader took out of the body, as ASCII bytes; null when there was none. The pipeline wipes it afterwards. */
  readonly cardNumber: Uint8Array | null
  /** Aborted when the service stops waiting (drain deadline); not when the client goes away. */
  readonly signal: AbortSignal
  /** To be stored in the operation's transactions; null: the request came without an idempotency key. */
  readonly idempotency: IdempotencyHandle<Outcome> | null
  /** At the dashboard's endpoint only. */
  readonly browser?: DashboardBrowser
}

/** Who calls, as far as X-Auth or a session could prove it. */
export interface CallerIdentity {
  readonly merchantId: string
  readonly bucket: number
  /** `server` showed the password, `browser` the merchant id alone, `dashboard` a session. */
  readonly as: 'server' | 'browser' | 'dashboard'
  /** The user of the dashboard. */
  readonly user?: SignedInUser
  /** What was agreed with the merchant in place of the settings. */
  readonly limits?: MerchantLimits | null
  /** Account fields that the merchant has configured as references: their order numbers may look like card numbers. */
  readonly referenceFields?: ReadonlySet<string>
}

/** A user of the dashboard with a live session. */
export interface SignedInUser {
  readonly userId: string
  readonly sessionId: string
  readonly role: Role
  /** The password was issued for one sign-in. */
  readonly mustChangePassword: boolean
}

/** The browser that a request to the dashboard's endpoint comes from, and the cookie of its session. */
export interface DashboardBrowser {
  /** The session's text as the cookie had it; null without one. */
  readonly cookie: string | null
  /** The header X-Tessera-CSRF. */
  readonly csrf: string | null
  readonly userAgent: string
  /** Sets the session's cookie in the response; null deletes it. */
  setCookie(session: string | null): void
}

/** What an audit entry says of who did something, and by which request. Every `RequestContext` is one. */
export type AuditActor = Pick<RequestContext, 'actor' | 'requestId'>

/** An operator at the command line. */
export const operatorActor: AuditActor = Object.freeze({ actor: 'operator', requestId: '' })

/** The merchant whose rows are meant. Every `RequestContext` and every `CallerIdentity` is one. */
export type MerchantScope = Pick<RequestContext, 'merchantId' | 'bucket'>
