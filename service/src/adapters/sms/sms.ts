import type { Store } from '../../store/store.ts'
import { integerSetting, type Adapter, type AdapterDependencies, type AdapterSettings } from '../adapter.ts'

export { smsErrorText } from '@tessera/contract/sms-text'

/**
 * Sends text messages. One adapter per kind of gateway; the sandbox's inbox is one of them.
 *
 * `accepted` means that the gateway accepted the message, not that it was delivered. `rejected` is said only when the message is certainly not on its way:
 * then another gateway may be tried. When the gateway does not respond in time, the outcome is `unknown`, and the message is not sent again automatically,
 * because the cardholder could get two codes.
 */
export interface Sms {
  /** Whether its failures are chosen by its users, so that they never open the breaker of the gateway. */
  readonly isSimulated?: boolean
  /** Its share of the messages where there are several gateways; 0: only those that the others rejected. Default: 1. */
  readonly weight?: number
  /** The signal is aborted shortly before the time is over: what is known then should be returned at once, `rejected` if nothing was sent. */
  send(message: SmsMessage, signal: AbortSignal): Promise<SmsResult>
  /**
   * Called once, before the first message: what the gateway reports of messages that it accepted is given to the listener. A report that the listener
   * rejects should come again. Absent where the gateway's reports are not read.
   */
  watchDeliveries?(listener: (report: SmsDeliveryReport) => Promise<void>): void
  /**
   * Finds what became of a message that the gateway accepted. Absent where the gateway has no request for it. Called again, less and less often, until the
   * outcome is final or the message is a day old.
   */
  findDelivery?(gatewayMessageId: string, signal: AbortSignal): Promise<SmsDeliveryState>
  /** The connections that it keeps open or tries to open, without asking anybody. Absent where each message has one of its own. */
  listConnections?(): readonly SmsConnection[]
  /** Closes the connections that it keeps open. */
  close?(): Promise<void>
}

/** A connection that an adapter keeps open. */
export interface SmsConnection {
  /** What it is for: sending (`transmitter`), delivery reports (`receiver`), or both. */
  readonly bind: 'transceiver' | 'transmitter' | 'receiver'
  /** How long it has been away; 0 while it is there. */
  readonly awayMs: number
}

/** A connection, and the adapter that keeps it open. */
export interface GatewayConnection extends SmsConnection {
  readonly gateway: string
}

/** A connection that is lost is made again within seconds as a rule. From this on the log, `/readyz` and `tessera status` mention it. */
export const smsLongAwayMs = 60_000

/** What became of a message on its way to the phone. */
export interface SmsDeliveryReport {
  /** As in `SmsResult`. */
  readonly gatewayMessageId: string
  readonly outcome: 'delivered' | 'failed'
  /** As in `SmsResult`. */
  readonly error?: string | null
}

/** `pending`: not final yet, or unknown to the gateway. `unavailable`: the gateway gave no usable reply, and should be left alone for some time. */
export type SmsDeliveryState =
  Omit<SmsDeliveryReport, 'gatewayMessageId'> | { readonly outcome: 'pending' } | { readonly outcome: 'unavailable' }

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

export interface SmsResult {
  readonly outcome: SmsOutcome
  /** By which the gateway names the message, for its support; null where it names none. */
  readonly gatewayMessageId?: string | null
  /** Why it was not accepted, in the gateway's words or ours: at most 64 letters, digits, blanks and `_.:-`. See `smsErrorText`. */
  readonly error?: string | null
}

/** What an SMS adapter may use. The store is for the sandbox's inbox; an adapter for production does not touch it. */
export interface SmsAdapterDependencies extends AdapterDependencies {
  readonly store: Store
}

/** The setting that every gateway has. Spread it into its settings, and return it as `weight`. */
export const weightSetting = {
  weight: integerSetting('Its share of the messages where TESSERA_SMS names several gateways; 0: only those that the others rejected.', {
    from: 0,
    to: 100,
    default: 1,
  }),
}

/** Declares an SMS adapter; its settings give `create` their types. */
export function smsAdapter<Settings extends AdapterSettings>(
  adapter: Adapter<Sms, SmsAdapterDependencies, Settings>,
): Adapter<Sms, SmsAdapterDependencies> {
  return adapter
}
