import { RpcError } from '@tessera/contract/errors'
import { dashboardOverviewGetContract } from '@tessera/contract/operations/dashboard-overview'

import { isComparablePeriod } from '../domain/reporting/daily-totals.ts'
import { overviewDaysMax } from '../domain/reporting/overview.ts'

import { operation } from './operation.ts'

/** Returns the statistics of a range of days. */
export const dashboardOverviewGet = operation(dashboardOverviewGetContract, {
  async run(period, ctx, { overview }) {
    if (!isComparablePeriod(period, overviewDaysMax)) throw new RpcError('memberInvalid', { data: 'to' })
    const { steps, total, before, declines, codesRefused, errors } = await overview(ctx, period)
    return {
      steps: [...steps],
      total,
      before: { ...before, steps: [...before.steps] },
      declines: [...declines],
      codesRefused: [...codesRefused],
      errors: errors.map((group) => ({ ...group, steps: [...group.steps] })),
    }
  },
})
