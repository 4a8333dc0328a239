import type { CardBrand } from '@tessera/contract/frame'
import type { Language } from '@tessera/contract/profile'
import type { CodeFormat } from '@tessera/contract/verification-code'

import type { DocumentTexts } from './texts.ts'

/** What the service wrote into the document, for this merchant and this page. */
export interface FormSettings {
  readonly merchant: string
  readonly merchantName: string
  readonly environment: 'test' | 'production'
  /** The origin of the page that holds the frame. */
  readonly origin: string
  /** The signed token of this document, sent with the card. */
  readonly form: string
  readonly providerName: string
  readonly providerUrl: string
  readonly termsUrl: string
  readonly privacyUrl: string
  /** The payment systems whose cards the service accepts. */
  readonly accepted: readonly CardBrand[]
  /** What codes look like, unless the reply to the request for one says otherwise. */
  readonly code: CodeFormat
  readonly messages: LocalizedTexts
}

/** The form's texts and the consent text in one language. */
export interface LocalizedTexts {
  readonly locale: Language
  readonly texts: DocumentTexts
  readonly disclosure: { readonly version: string; readonly text: string; readonly sha256: string }
}

export function readFormSettings(): FormSettings {
  return JSON.parse(document.getElementById('tessera')?.textContent ?? '{}') as FormSettings
}

/** Fetches the texts in another language from the same origin; null when there is no response. */
export async function fetchTexts(locale: Language): Promise<LocalizedTexts | null> {
  return fetch(`/form/v1/messages?locale=${locale}`, { credentials: 'omit' })
    .then((response) => response.json() as Promise<LocalizedTexts>)
    .catch(() => null)
}
