import type { Language } from '@tessera/contract/profile'

import type { Texts } from './texts.ts'

/** Asks our own origin for another language; null when it does not answer. */
export async function askWords(locale: Language): Promise<Words | null> {
  return fetch(`/form/v1/words?locale=${locale}`, { credentials: 'omit' })
    .then((reply) => reply.json() as Promise<Words>)
    .catch(() => null)
}

/** What the service wrote into the document, for this merchant and this page. */
export interface Facts {
  readonly merchant: string
  readonly merchantName: string
  /** Of the page that holds the frame. */
  readonly origin: string
  /** Names this document; goes back with the card. */
  readonly form: string
  readonly providerName: string
  readonly termsUrl: string
  readonly privacyUrl: string
  readonly words: Words
}

/** What is said in one language, and what is agreed to in it. */
export interface Words {
  readonly locale: Language
  readonly texts: Texts
  readonly disclosure: { readonly version: string; readonly text: string; readonly sha256: string }
}

export function readFacts(): Facts {
  return JSON.parse(document.getElementById('tessera')?.textContent ?? '{}') as Facts
}
