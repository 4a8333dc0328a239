import type { Language } from '@tessera/contract/profile'

import { complianceEn, type CompliancePageMessages } from './messages/en.ts'
import { complianceRu } from './messages/ru.ts'
import { complianceUz } from './messages/uz.ts'

// The longest texts of the dashboard: each language has its file.

export type { CompliancePageMessages } from './messages/en.ts'

export const compliancePageMessages: Readonly<Record<Language, CompliancePageMessages>> = {
  en: complianceEn,
  ru: complianceRu,
  uz: complianceUz,
}
