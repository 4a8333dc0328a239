import { dashboardOverviewGetContract } from '@tessera/contract/operations/dashboard-overview'

import { operation } from './operation.ts'

/** Returns the statistics of a range of days. */
export const dashboardOverviewGet = operation(dashboardOverviewGetContract, {
  async run({ days }, ctx, { overview }) {
    const { steps, total, declines, codesRefused } = await overview(ctx, days)
    return { steps: [...steps], total, declines: [...declines], codesRefused: [...codesRefused] }
  },
})
