/** What the probe in the page (in-page/page-probe.ts) and the checker say to each other: plain data that crosses from the page to Node. */

/** Names under which the probe is reachable. They are random, so that the page cannot guess them. */
export interface ProbeNames {
  /** The global of the page that holds the `PageProbe`. */
  readonly key: string
  /** The binding that takes a `ProbeEvent`. */
  readonly report: string
  /** The global of the page that holds the `TimerProbe`. */
  readonly timers: string
}

/** Something the page did, reported when it did it. */
export type ProbeEvent =
  | {
      readonly kind: 'sent'
      readonly by: 'fetch' | 'XMLHttpRequest' | 'sendBeacon' | 'WebSocket' | 'RTCDataChannel'
      readonly to: string
      readonly text: string
    }
  | { readonly kind: 'message'; readonly to: string; readonly text: string }
  | { readonly kind: 'refused'; readonly directive: string; readonly blocked: string }
  | { readonly kind: 'script'; readonly element: ElementSnapshot }
  | { readonly kind: 'fields'; readonly items: readonly OutlineItem[] }

/** A part of a page in document order: an element that opens, a text, or null where an element closes. */
export type OutlineItem = ElementSnapshot | string | null

export interface ElementSnapshot {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  /** A path of CSS selectors. ` >>> ` enters a shadow root. '' for an element that only holds others. */
  readonly selector: string
  readonly root: 'document' | 'open shadow root' | 'closed shadow root'
  readonly isChecked: boolean
  /** Whether it is pressed though it is neither a button nor a link: a script listens to it, or it has a hand for a cursor. */
  readonly isClickable: boolean
  /** Whether an input, a button or a link takes space on the page. */
  readonly isVisible: boolean
  /** The code of a script or the options of a select; truncated. */
  readonly code: string
}

export interface PageSnapshot {
  readonly items: readonly OutlineItem[]
  /** The markup of every root, the values of inputs, the address, the title, the history state and the window's name. */
  readonly texts: readonly string[]
  readonly storage: readonly { readonly name: string; readonly text: string }[]
}

/** The object that the page's global `ProbeNames.key` holds. */
export interface PageProbe {
  /** Observes another shadow root. */
  observe(root: unknown): void
  takeSnapshot(): Promise<PageSnapshot>
  /** Each takes a selector of the snapshot and returns false when the element is gone. */
  focus(selector: string): boolean
  click(selector: string): boolean
  /** Presses the button nearest to the element. Returns false when there is none. */
  press(selector: string): boolean
  /** Chooses the option of a select with the number, ticks a box, or gives a date. */
  choose(selector: string, index: string): boolean
  /** Presses the digits on the keypad around the element. */
  pressDigits(selector: string, digits: string): boolean
  /** Scrolls to the end, so that what waits for it is loaded. */
  scrollThrough(): boolean
  valueOf(selector: string): string
}

/** The object that the page's global `ProbeNames.timers` holds. */
export interface TimerProbe {
  /** How long the page waits for a timer or for its load to end. */
  pendingMs(): number
}

/** Where the footer stands in the form's window. */
export interface FooterBox {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** What the form's own document shows about who takes the card. */
export interface FormVisibility {
  readonly footer: FooterBox
  readonly links: readonly { readonly text: string; readonly href: string; readonly isSeen: boolean }[]
  /** Whom the powered-by link names; '' when the service does not say. */
  readonly providerName: string
  readonly isFooterSeen: boolean
  /** Whether the frame is lower than its content. */
  readonly isTooLow: boolean
  readonly isConsentTicked: boolean
  /** `test` or `production`, as the service states it; '' when it does not. */
  readonly environment: string
}
