import { createHash } from 'node:crypto'

import type { Language } from '@tessera/contract/profile'

/** The text a cardholder agrees to when a card is stored, in three languages under one version. */
export interface Disclosure extends Readonly<Record<Language, string>> {
  readonly version: string
}

/** One text of a disclosure and its SHA-256 in hex. Consents refer to the hash. */
export interface DisclosedText {
  readonly text: string
  readonly sha256: string
}

export interface HashedDisclosure {
  readonly version: string
  readonly texts: Readonly<Record<Language, DisclosedText>>
}

export function hashDisclosure({ version, en, ru, uz }: Disclosure): HashedDisclosure {
  return Object.freeze({ version, texts: { en: hashed(en), ru: hashed(ru), uz: hashed(uz) } })
}

function hashed(text: string): DisclosedText {
  return Object.freeze({ text, sha256: createHash('sha256').update(text, 'utf8').digest('hex') })
}
