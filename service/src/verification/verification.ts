import type { Language } from '@tessera/contract/envelope'

import type { Asker } from '../cards/asker.ts'
import type { CardRow } from '../store/store.ts'

import { answerCode } from './answer.ts'
import { askForCode } from './ask.ts'
import type { VerificationParts } from './parts.ts'
import type { SentCode } from './sending.ts'
import { settleAnswer, settleAsk, type AskedBefore } from './settle.ts'

/** Proving by an SMS code that the cardholder is there. */
export interface Verification {
  /** Has a code sent to the phone that the issuer knows. */
  ask(token: string, asker: Asker<SentCode>, language: Language): Promise<SentCode>
  /** Takes the code that the cardholder typed; a card that is verified already is answered the same way, whatever the code. */
  answer(token: string, code: string, asker: Asker<CardRow>): Promise<CardRow>
  /** What became of an `ask` whose answer nobody kept; null while that is not known. Never asks the network, nor sends. */
  settleAsk(token: string, asked: AskedBefore, asker: Asker): Promise<SentCode | null>
  /** What became of an `answer` whose answer nobody kept; null while that is not known. Never tries the code. */
  settleAnswer(token: string, isExpired: boolean, asker: Asker): Promise<CardRow | null>
}

export function makeVerification(parts: VerificationParts): Verification {
  return Object.freeze({
    ask: (token: string, asker: Asker<SentCode>, language: Language) => askForCode(parts, token, asker, language),
    answer: (token: string, code: string, asker: Asker<CardRow>) => answerCode(parts, token, code, asker),
    settleAsk: (token: string, asked: AskedBefore, asker: Asker) => settleAsk(parts, token, asked, asker),
    settleAnswer: (token: string, isExpired: boolean, asker: Asker) => settleAnswer(parts, token, isExpired, asker),
  })
}
