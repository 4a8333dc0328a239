import type { Store } from '../../store/store.ts'
import type { Adapter, AdapterDependencies, AdapterSettings } from '../adapter.ts'

/**
 * The way to a phone. One adapter a gateway; the sandbox's inbox is one of them.
 *
 * `accepted` means that the gateway took it, not that the phone has it. A gateway that does not answer in time is `unknown`, and the message
 * is not sent again by itself: the cardholder would get two codes.
 */
export interface Sms {
  send(message: SmsMessage, signal: AbortSignal): Promise<SmsOutcome>
}

export interface SmsMessage {
  /** Ours; a gateway that supports it uses it to send once only. */
  readonly messageId: string
  readonly merchantId: string
  /** 9 to 15 digits, country code first. Not to be logged; print it with `maskPhone`. */
  readonly phone: string
  readonly text: string
  /** How long the text is worth delivering, seconds. */
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
