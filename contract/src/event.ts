/** The events of a merchant's webhook (docs/reference/wire.md#events). They name the card by its id, never by its token. */
export const eventTypes = [
  'card.verified',
  'card.removed',
  'card.expired',
  'receipt.paid',
  'receipt.held',
  'receipt.cancelled',
  'receipt.failed',
] as const

export type EventType = (typeof eventTypes)[number]

export interface CardEvent {
  readonly card: {
    readonly id: string
    readonly number: string
    /** `03/99`: webhooks are written as the subscribe profile, whatever the profile of the call. */
    readonly expire: string
    readonly verify: boolean
    readonly recurrent: boolean
  }
  readonly customer: string | null
}

export interface ReceiptEvent {
  readonly receipt: {
    readonly id: string
    readonly state: number
    readonly amount: number
    readonly currency: number
    readonly pay_time: number
    readonly cancel_time: number
    readonly card: { readonly id: string; readonly number: string } | null
    readonly account: Readonly<Record<string, string>>
    /** Why it failed, the `reason` of the error; null when it did not. */
    readonly reason: string | null
  }
  readonly customer: string | null
}

/** The body of a delivery: Standard Webhooks. `timestamp` is ISO 8601, when it happened. */
export interface WebhookEvent<T extends EventType = EventType> {
  readonly type: T
  readonly timestamp: string
  readonly data: T extends `card.${string}` ? CardEvent : ReceiptEvent
}
