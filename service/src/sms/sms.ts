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
  readonly lifeSeconds: number
}

export type SmsOutcome = 'accepted' | 'rejected' | 'unknown'
