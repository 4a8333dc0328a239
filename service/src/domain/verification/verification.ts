import type { Language } from '@tessera/contract/envelope'

import type { RequestContext } from '../request-context.ts'
import type { CardRow } from '../../store/cards.ts'

import { verifyCode } from './verify-code.ts'
import { requestCode } from './request-code.ts'
import type { VerificationDependencies } from './dependencies.ts'
import type { CodeRequestResult } from './dispatch.ts'
import { reconcileCodeCheck, reconcileCodeRequest, type EarlierCodeRequest } from './reconcile.ts'

/** Verification of a card by an SMS code. */
export interface Verification {
  /** Sends a code to the phone that the issuer knows. */
  requestCode(token: string, ctx: RequestContext<CodeRequestResult>, language: Language): Promise<CodeRequestResult>
  /** Checks the code that the cardholder entered. A verified card gets the same result again, whatever the code. */
  verifyCode(token: string, code: string, ctx: RequestContext<CardRow>): Promise<CardRow>
  /** The outcome of an earlier `requestCode` whose reply was not stored; null while it is unknown. Never calls the network, never sends. */
  reconcileRequest(token: string, earlier: EarlierCodeRequest, ctx: RequestContext): Promise<CodeRequestResult | null>
  /** The outcome of an earlier `verifyCode` whose reply was not stored; null while it is unknown. Never checks the code. */
  reconcileCheck(token: string, isExpired: boolean, ctx: RequestContext): Promise<CardRow | null>
}

export function makeVerification(deps: VerificationDependencies): Verification {
  return Object.freeze({
    requestCode: (token: string, ctx: RequestContext<CodeRequestResult>, language: Language) => requestCode(deps, token, ctx, language),
    verifyCode: (token: string, code: string, ctx: RequestContext<CardRow>) => verifyCode(deps, token, code, ctx),
    reconcileRequest: (token: string, earlier: EarlierCodeRequest, ctx: RequestContext) => reconcileCodeRequest(deps, token, earlier, ctx),
    reconcileCheck: (token: string, isExpired: boolean, ctx: RequestContext) => reconcileCodeCheck(deps, token, isExpired, ctx),
  })
}
