import type { CodeLists } from '../dashboard/codes.ts'

import type { Row } from './method.ts'

/** Tells how far the newest cards of a span have come. */
export function dashboardVerificationFunnel(lists: CodeLists): Row<'dashboard.verification.funnel'>['run'] {
  return ({ days }, { caller }) => lists.funnel(caller, days)
}
