import { makeLongWords } from '../../app/long-words.tsx'
import type { VerificationWords } from './verification-words.ts'

export const verificationText = makeLongWords<VerificationWords>('verification')
