import type { Language, Profile } from '@tessera/contract/envelope'
import type { Role } from '@tessera/contract/operations'

import type { WalkProgress } from '../store/walk.ts'

import type { IdempotencyHandle } from './idempotency/handle.ts'
import type { MerchantLimits } from './merchants/settings.ts'

/**
 * One request, for operations and domain. The pipeline creates it once, and it is passed on unchanged.
 *
 * It holds what differs from request to request. Store, keyring, clock and adapters are dependencies of the domain services instead, so that
 * background jobs run the same functions without a request (docs/decisions/0031-request-context.md).
 *
 * `Outcome` is the domain's result of the operation, which is stored under the idempotency key in the same transaction as the effect. A function that
 * records no outcome takes a plain `RequestContext`, which accepts any.
 */
export interface RequestContext<Outcome = never> {
  readonly caller: CallerIdentity
  /** The caller's merchant; empty where the operation needs no authentication. */
  readonly merchantId: string
  /** The shard of the merchant's rows. */
  readonly bucket: number
  /** For audit entries: `merchant:<id>`, `user:<id>` for a dashboard user, or `operator`. */
  readonly actor: string
  /** 24 hex digits; in log, audit and reply. */
  readonly requestId: string
  readonly profile: Profile
  /** For texts that people read. */
  readonly language: Language
  /** The client's address, for limits and the audit; empty for operators. */
  readonly address: string
  /** The Origin header; null without one. */
  readonly origin: string | null
  /** The card number that was extracted from the body, as ASCII bytes; null without one. The pipeline wipes it. */
  readonly cardNumber: Uint8Array | null
  /** Aborted when the service stops waiting (drain deadline); not when the client goes away. */
  readonly signal: AbortSignal
  /** To be stored in the transactions of the operation. Null: the request has no idempotency key. */
  readonly idempotency: IdempotencyHandle<Outcome> | null
  /** At the dashboard's endpoint only. */
  readonly browser?: DashboardBrowser
  /** At the control socket only. */
  readonly terminal?: OperatorTerminal
}

/** The authenticated caller. */
export interface CallerIdentity {
  readonly merchantId: string
  readonly bucket: number
  /** `server` authenticated by password, `browser` sent only the merchant id, `dashboard` has a session, `operator` opened the control socket. */
  readonly kind: 'server' | 'browser' | 'dashboard' | 'operator'
  /** For `dashboard`. */
  readonly user?: SignedInUser
  /** Limits of this merchant that replace the settings. */
  readonly limits?: MerchantLimits | null
  /** Account fields that the merchant has configured as references: their order numbers may look like card numbers. */
  readonly referenceFields?: ReadonlySet<string>
}

/** A user of the dashboard with a live session. */
export interface SignedInUser {
  readonly userId: string
  readonly sessionId: string
  readonly role: Role
  /** Signed in with a one-time password, which has to be changed first. */
  readonly mustChangePassword: boolean
  /** Confirmed who they are in this session, in the last minutes. */
  readonly isConfirmed: boolean
}

/** The browser of a request to the dashboard's endpoint, and its session cookie. */
export interface DashboardBrowser {
  /** The value of the session cookie; null without one. */
  readonly cookie: string | null
  /** The value of the cookie of a known device; null without one. */
  readonly device: string | null
  /** The header X-Tessera-CSRF. */
  readonly csrf: string | null
  readonly userAgent: string
  /** The dashboard's origin, as the browser sees it. */
  readonly origin: string
  /** Sets the session's cookie in the response; null deletes it. */
  setCookie(session: string | null): void
  /** Sets the cookie of a known device in the response. */
  setDevice(device: string): void
  /** Aborted when the browser has closed the connection before the reply. */
  readonly left?: AbortSignal
}

/** The command of an operator that waits for the reply. */
export interface OperatorTerminal {
  /** Aborted when the command ended before the reply, such as by Ctrl-C. */
  readonly left: AbortSignal
  /** Sends the command how far the operation is. */
  showProgress(progress: WalkProgress): void
}

/** Actor, address and request id of an audit entry. Every `RequestContext` is one. */
export type AuditActor = Pick<RequestContext, 'actor' | 'requestId' | 'address'>

/** A merchant and the shard of its rows. Every `RequestContext` and every `CallerIdentity` is one. */
export type MerchantScope = Pick<RequestContext, 'merchantId' | 'bucket'>
