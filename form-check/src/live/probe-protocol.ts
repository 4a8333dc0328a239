/** What the probe in the page (in-page/page-probe.ts) and the checker say to each other: plain data that crosses from the page to Node. */

/** Names under which the probe is reachable. They are random, so that the page cannot guess them. */
export interface ProbeNames {
  /** The global of the page that holds the `PageProbe`. */
  readonly key: string
  /** The binding that takes a `ProbeEvent`. */
  readonly report: string
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
  | { readonly kind: 'element'; readonly element: ElementSnapshot }

export interface ElementSnapshot {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  /** A path of CSS selectors. ` >>> ` enters a shadow root. */
  readonly selector: string
  readonly root: 'document' | 'open shadow root' | 'closed shadow root'
  /** The forms that contain it, itself included when it is a form, with their attributes. */
  readonly forms: readonly { readonly selector: string; readonly attributes: Readonly<Record<string, string>> }[]
  readonly isChecked: boolean
  /** The code of a script, or the label of a checkbox; truncated. */
  readonly text: string
}

export interface PageSnapshot {
  readonly elements: readonly ElementSnapshot[]
  /** The markup of every root, the values of inputs, the address, the title, the history state and the window's name. */
  readonly texts: readonly string[]
  readonly storage: readonly { readonly name: string; readonly text: string }[]
}

/** The object that the page's global `ProbeNames.key` holds. */
export interface PageProbe {
  /** Observes another shadow root. */
  observe(root: unknown): void
  takeSnapshot(): Promise<PageSnapshot>
  /** Focuses the element. Returns false when it is gone. */
  focus(selector: string): boolean
  /** Presses the button nearest to the element. Returns false when there is none. */
  press(selector: string): boolean
}

/** What the form's own document shows about who takes the card. */
export interface FormVisibility {
  readonly links: readonly { readonly text: string; readonly href: string; readonly isSeen: boolean }[]
  readonly footer: string
  readonly isFooterSeen: boolean
  /** Whether the frame is lower than its content. */
  readonly isTooLow: boolean
  readonly isConsentTicked: boolean
  /** `test` or `production`, as the service states it; '' when it does not. */
  readonly environment: string
}
