import type { Language } from '@tessera/contract/profile'

import { complianceEn, type CompliancePageMessages } from './messages/en.ts'
import { complianceRu } from './messages/ru.ts'
import { complianceUz } from './messages/uz.ts'

export type { CompliancePageMessages } from './messages/en.ts'

export const compliancePageMessages: Readonly<Record<Language, CompliancePageMessages>> = {
  en: complianceEn,
  ru: complianceRu,
  uz: complianceUz,
}
