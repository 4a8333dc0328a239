import { makeLongWords } from '../../app/long-words.tsx'
import type { ComplianceWords } from './compliance-words.ts'

export const complianceText = makeLongWords<ComplianceWords>('compliance')
