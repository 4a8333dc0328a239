import type { Language } from '@tessera/contract/envelope'

import type { Asker } from '../cards/asker.ts'
import type { CardRow } from '../store/store.ts'

import { answerCode } from './answer.ts'
import { askForCode, type SentCode } from './ask.ts'
import type { VerificationParts } from './parts.ts'

/** Proving by an SMS code that the cardholder is there. */
export interface Verification {
  /** Has a code sent to the phone that the issuer knows. */
  ask(token: string, asker: Asker, language: Language): Promise<SentCode>
  /** Takes the code that the cardholder typed; a card that is verified already is answered the same way, whatever the code. */
  answer(token: string, code: string, asker: Asker): Promise<CardRow>
}

export function makeVerification(parts: VerificationParts): Verification {
  return Object.freeze({
    ask: (token: string, asker: Asker, language: Language) => askForCode(parts, token, asker, language),
    answer: (token: string, code: string, asker: Asker) => answerCode(parts, token, code, asker),
  })
}
