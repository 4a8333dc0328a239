/** What the browser tells of a page: plain, so that it crosses from the page to us. The words of both ends. */
export interface WatchAsked {
  /** Under which name the page's own world holds what we ask it by. */
  readonly key: string
  /** The binding that `Told` goes out by. */
  readonly tell: string
}

/** Something that the page did, at the moment it did it. */
export type Told =
  | {
      readonly kind: 'sent'
      readonly by: 'fetch' | 'XMLHttpRequest' | 'sendBeacon' | 'WebSocket' | 'RTCDataChannel'
      readonly to: string
      readonly text: string
    }
  | { readonly kind: 'message'; readonly to: string; readonly text: string }
  | { readonly kind: 'refused'; readonly directive: string; readonly blocked: string }
  | { readonly kind: 'element'; readonly element: ElementFacts }

export interface ElementFacts {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  /** A path of CSS selectors; ` >>> ` goes into a shadow root. */
  readonly selector: string
  readonly root: 'document' | 'open shadow root' | 'closed shadow root'
  /** The forms that it stands in, itself if it is one; with the attributes of each. */
  readonly forms: readonly { readonly selector: string; readonly attributes: Readonly<Record<string, string>> }[]
  readonly checked: boolean
  /** The text of a script, of a label about a box; bounded. */
  readonly text: string
}

export interface PageLook {
  readonly elements: readonly ElementFacts[]
  /** The marks of every root, the values of its inputs, the address, the title, the state of the history and the window's name. */
  readonly marks: readonly string[]
  readonly stores: readonly { readonly name: string; readonly text: string }[]
}

/** What stands in the page's world under `WatchAsked.key`. */
export interface PageWatch {
  watch(root: unknown): void
  look(): Promise<PageLook>
  /** Gives the focus to the element of this selector; false when it is gone. */
  focus(selector: string): boolean
  /** Presses the button nearest to it. */
  press(selector: string): boolean
}

/** What the form's own document shows of who takes the card. */
export interface FormSeen {
  readonly links: readonly { readonly text: string; readonly href: string; readonly isSeen: boolean }[]
  readonly footer: string
  readonly isFooterSeen: boolean
  /** Whether the frame is lower than what stands in it. */
  readonly isCut: boolean
  readonly isConsentTicked: boolean
  /** `test` or `production`, as the service says; '' when it does not. */
  readonly environment: string
}
