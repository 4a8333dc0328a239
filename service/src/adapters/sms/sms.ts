import type { Store } from '../../store/store.ts'
import type { Adapter, AdapterDependencies, AdapterSettings } from '../adapter.ts'

/**
 * Sends text messages. One adapter per gateway; the sandbox's inbox is one of them.
 *
 * `accepted` means that the gateway accepted the message, not that it was delivered. When the gateway does not respond in time, the outcome is
 * `unknown`, and the message is not sent again automatically, because the cardholder could get two codes.
 */
export interface Sms {
  /** Whether its failures are chosen by its users, so that they never open the breaker of the gateway. */
  readonly isSimulated?: boolean
  send(message: SmsMessage, signal: AbortSignal): Promise<SmsOutcome>
}

export interface SmsMessage {
  /** Assigned by us. A gateway that supports it uses it for deduplication. */
  readonly messageId: string
  readonly merchantId: string
  /** 9 to 15 digits, country code first. Must not be logged; print it with `maskPhone`. */
  readonly phone: string
  readonly text: string
  /** How long the text is useful, seconds. */
  readonly lifetimeSeconds: number
}

export type SmsOutcome = 'accepted' | 'rejected' | 'unknown'

/** What an SMS adapter may use. The store is for the sandbox's inbox; an adapter for production does not touch it. */
export interface SmsAdapterDependencies extends AdapterDependencies {
  readonly store: Store
}

/** Declares an SMS adapter; its settings give `create` their types. */
export function smsAdapter<Settings extends AdapterSettings>(
  adapter: Adapter<Sms, SmsAdapterDependencies, Settings>,
): Adapter<Sms, SmsAdapterDependencies> {
  return adapter
}
