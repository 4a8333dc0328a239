/** The events of a merchant's webhook (docs/reference/wire.md#events). They name the card by its id, never by its token. */
export const eventTypes = [
  'card.verified',
  'card.removed',
  'card.expired',
  'receipt.paid',
  'receipt.held',
  'receipt.cancelled',
  'receipt.failed',
  'page.changed',
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

/** What differs on a page that was read again. */
export interface PageChange {
  /** `rule`: one of the rules for card forms that the page breaks. */
  readonly what: 'script' | 'header' | 'rule' | 'page'
  readonly change: 'added' | 'removed' | 'changed' | 'unreadable'
  /** The address of a script (`inline` and its hash), the name of a header, or the id of a rule; '' where it has none. */
  readonly name: string
}

/** `page.changed`: a page of the merchant is not what it was. */
export interface PageEvent {
  readonly page: {
    readonly id: string
    readonly address: string
    /** Unix milliseconds: the last reading before, which found what this one was compared with. */
    readonly last_read_time: number
    /** 50 at most. */
    readonly changes: readonly PageChange[]
  }
}

/** The body of a delivery: Standard Webhooks. `timestamp` is ISO 8601, when it happened. */
export interface WebhookEvent<T extends EventType = EventType> {
  readonly type: T
  readonly timestamp: string
  readonly data: T extends `card.${string}` ? CardEvent : T extends `page.${string}` ? PageEvent : ReceiptEvent
}
