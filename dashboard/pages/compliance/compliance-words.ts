import type { Language } from '@tessera/contract/profile'

import { en, type ComplianceWords } from './words/en.ts'
import { ru } from './words/ru.ts'
import { uz } from './words/uz.ts'

export type { ComplianceWords } from './words/en.ts'

export const complianceWords: Readonly<Record<Language, ComplianceWords>> = { en, ru, uz }
