import type { Language } from '@tessera/contract/profile'

import { verificationEn, type VerificationPageMessages } from './messages/en.ts'
import { verificationRu } from './messages/ru.ts'
import { verificationUz } from './messages/uz.ts'

export type { VerificationPageMessages } from './messages/en.ts'

/** The texts of the page Verification. */
export const verificationPageMessages: Readonly<Record<Language, VerificationPageMessages>> = {
  en: verificationEn,
  ru: verificationRu,
  uz: verificationUz,
}
