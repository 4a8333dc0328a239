import { renderError, RpcError } from '@tessera/contract/errors'

import type { Start } from '../dashboard/start.ts'
import { makeTestToken, type TestStep, type TestTokenParts } from '../dashboard/test-token.ts'

import { askerOf } from './asker.ts'
import type { Call, Row } from './method.ts'

/** Makes a token of a test card; in the test environment alone. */
export function dashboardStartMakeToken(
  { facts: { testing }, clock }: Start,
  parts: TestTokenParts,
): Row<'dashboard.start.makeToken'>['run'] {
  return async ({ lastFour }, call) => {
    if (testing === null) throw new RpcError('testOnly')
    const asked = { lastFour, asker: askerOf(call), language: call.language }
    const { cardId, maskedPan, verified, steps } = await makeTestToken(parts, { testing, clock }, asked)
    return { cardId, number: maskedPan, verified, steps: steps.map((step) => showStep(step, call)) }
  }
}

function showStep({ method, ms, error }: TestStep, { language, profile }: Call) {
  if (error === null) return { method, ms, refused: null }
  const { code, reason, message } = renderError(error, { profile, language, origin: method })
  return { method, ms, refused: { code, reason, message } }
}
