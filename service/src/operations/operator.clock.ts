import { operatorClockConfirmContract, operatorClockGetContract } from '@tessera/contract/operations/operator-clock'

import { operation } from './operation.ts'
import { isoTime, refusal } from './operator.ts'

/** Returns whether the machine's clock is trusted, and what was measured. */
export const operatorClockGet = operation(operatorClockGetContract, {
  run(_params, _ctx, { clockAdministration }) {
    const { now, driftMs, refusal: refused } = clockAdministration.status()
    return Promise.resolve({
      trusted: refused === null,
      now: isoTime(now),
      driftSeconds: driftMs / 1000,
      refusal: refused === null ? null : { reason: refused.reason, bySeconds: refused.byMs / 1000, at: isoTime(refused.at) },
    })
  },
})

/** Continues with the clock as it is. The request is audited before. */
export const operatorClockConfirm = operation(operatorClockConfirmContract, {
  async run(_params, ctx, { clockAdministration }) {
    if (!(await clockAdministration.confirm(ctx))) throw refusal('clock_not_refused')
    return { success: true }
  },
})
