import type { RequestContext } from '../request-context.ts'
import type { CardRow } from '../../store/cards.ts'

import { makeVerifiedRows, type VerifiedRowDependencies } from '../verified-rows.ts'
import { verificationMac } from '../../store/verifications.ts'

import { makeBegunStops } from './begun-stops.ts'
import { makeEvaluatedCodes } from './evaluated-codes.ts'
import { verifyCode } from './verify-code.ts'
import { requestCode, type CodeReader } from './request-code.ts'
import { makeWrongCodes } from './wrong-codes.ts'
import type { VerificationDependencies } from './dependencies.ts'
import type { CodeRequestResult } from './dispatch.ts'
import { reconcileCodeCheck, reconcileCodeRequest, type EarlierCodeRequest } from './reconcile.ts'

/** What `makeVerification` needs: the dependencies, and those of the row MACs. */
export type VerificationInput = Omit<VerificationDependencies, 'rows' | 'evaluatedCodes' | 'wrongCodes' | 'begunStops'> &
  VerifiedRowDependencies

/** Verification of a card by an SMS code. */
export interface Verification {
  /** Sends a code to the phone that the issuer knows. */
  requestCode(token: string, ctx: RequestContext<CodeRequestResult>, reader: CodeReader): Promise<CodeRequestResult>
  /** Digits of the longest code that may be sent as a JSON number. */
  readonly maxCodeLength: number
  /** Checks the code that the cardholder entered. A verified card gets the same result again, whatever the code. */
  verifyCode(token: string, code: string | number, ctx: RequestContext<CardRow>): Promise<CardRow>
  /** The outcome of an earlier `requestCode` whose reply was not stored; null while it is unknown. Never calls the network, never sends. */
  reconcileRequest(token: string, earlier: EarlierCodeRequest, ctx: RequestContext): Promise<CodeRequestResult | null>
  /** The outcome of an earlier `verifyCode` whose reply was not stored; null while it is unknown. Never checks the code. */
  reconcileCheck(token: string, isExpired: boolean, ctx: RequestContext): Promise<CardRow | null>
}

export function makeVerification({ environment, alarm, ...input }: VerificationInput): Verification {
  const inMemory = { evaluatedCodes: makeEvaluatedCodes(), wrongCodes: makeWrongCodes(), begunStops: makeBegunStops() }
  const deps = { ...input, ...inMemory, alarm, rows: makeVerifiedRows({ keyring: input.keyring, environment, alarm }, verificationMac) }
  return Object.freeze({
    maxCodeLength: Math.max(deps.settings.policies.maxLength, deps.codes.fixed?.length ?? 0),
    requestCode: (token: string, ctx: RequestContext<CodeRequestResult>, reader: CodeReader) => requestCode(deps, token, ctx, reader),
    verifyCode: (token: string, code: string | number, ctx: RequestContext<CardRow>) => verifyCode(deps, token, code, ctx),
    reconcileRequest: (token: string, earlier: EarlierCodeRequest, ctx: RequestContext) => reconcileCodeRequest(deps, token, earlier, ctx),
    reconcileCheck: (token: string, isExpired: boolean, ctx: RequestContext) => reconcileCodeCheck(deps, token, isExpired, ctx),
  })
}
