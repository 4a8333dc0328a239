import type { Language } from '@tessera/contract/profile'

/** What the service wrote into the document, for this merchant and this page. */
export interface Facts {
  readonly merchant: string
  readonly merchantName: string
  /** Of the page that holds the frame. */
  readonly origin: string
  readonly providerName: string
  readonly termsUrl: string
  readonly privacyUrl: string
  readonly disclosure: {
    readonly version: string
    readonly texts: Readonly<Record<Language, { readonly text: string; readonly sha256: string }>>
  }
}

export function readFacts(): Facts {
  return JSON.parse(document.getElementById('tessera')?.textContent ?? '{}') as Facts
}
