import { operatorClockConfirmContract, operatorClockGetContract } from '@tessera/contract/operations/operator-clock'

import { operation } from './operation.ts'
import { isoTime, refusal } from './operator.ts'

/** Returns whether the machine's clock is trusted, and what was measured. */
export const operatorClockGet = operation(operatorClockGetContract, {
  run(_params, _ctx, { clockAdministration }) {
    const { reading, driftMs, refusal: refused } = clockAdministration.status()
    return Promise.resolve({
      trusted: refused === null,
      now: isoTime(reading.wallMs),
      driftSeconds: driftMs / 1000,
      refusal: refused === null ? null : { reason: refused.reason, bySeconds: refused.byMs / 1000, at: isoTime(refused.at) },
    })
  },
})

/** Continues with the clock as it is, if it is the one that was compared. The request is audited before. */
export const operatorClockConfirm = operation(operatorClockConfirmContract, {
  async run({ time }, ctx, { clockAdministration }) {
    const compared = Date.parse(time)
    if (Number.isNaN(compared)) throw refusal('clock_time_required')
    const confirmed = await clockAdministration.confirm(compared, ctx)
    if (confirmed === 'not_refused') throw refusal('clock_not_refused')
    if (confirmed === 'differs') throw refusal('clock_differs', isoTime(clockAdministration.status().reading.wallMs))
    return { success: true }
  },
})
