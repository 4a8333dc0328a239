/** One count of a merchant's: of an hour (hours since 1970, UTC), or with hour 0 of all time. `name` is a word of ours. */
export interface Tally {
  readonly bucket: number
  readonly merchantId: string
  readonly hour: number
  readonly name: string
  readonly count: number
}

export interface TallyOf {
  readonly bucket: number
  readonly merchantId: string
}

/** How far an audit chain has been counted, and how far it will have been. */
export interface TallyMove {
  readonly chain: string
  readonly from: number
  readonly to: number
}

export interface TallySpan extends TallyOf {
  /** The first and the last hour of it. */
  readonly fromHour: number
  readonly toHour: number
  /** 1: by the hour; 24: by the days of Tashkent (UTC+5). */
  readonly stepHours: 1 | 24
}

export interface SpanTally {
  /** Which step, counted from 1970: `floor((hour + 5) / stepHours)`. */
  readonly step: number
  readonly name: string
  readonly count: number
}

/** What became of the newest cards of a span, of so many at most. */
export interface Funnel {
  readonly created: number
  readonly sent: number
  readonly verified: number
  readonly paid: number
}

export interface FunnelAsk extends TallyOf {
  /** Unix ms. */
  readonly from: number
  readonly cardsMax: number
}

/** A code was sent or not, tried and wrong, or right: as the audit tells of it. */
export interface CodeEvent {
  readonly at: number
  readonly action: 'code.settled' | 'code.tried' | 'card.verified'
  readonly outcome: string
  readonly requestId: string
  readonly seq: number
  readonly cardId: string
  /** Null: the card's row is gone. */
  readonly maskedPan: string | null
}

export interface CodeEventsAsk extends TallyOf {
  /** `id` is the request id and the place in the chain: `codePlace`. */
  readonly after: { readonly at: number; readonly requestId: string; readonly seq: number } | null
  readonly count: number
}

/** An SMS that the sandbox kept. */
export interface InboxRow {
  readonly id: string
  readonly at: number
  readonly merchantId: string
  readonly phoneMask: string
  readonly text: string
}

export interface InboxAsk {
  readonly merchantId: string
  readonly after: { readonly at: number; readonly id: string } | null
  readonly count: number
}
