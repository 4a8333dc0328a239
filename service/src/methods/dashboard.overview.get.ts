import type { TellOverview } from '../dashboard/overview.ts'

import type { Row } from './method.ts'

/** Tells the figures of a span. */
export function dashboardOverviewGet(tellOverview: TellOverview): Row<'dashboard.overview.get'>['run'] {
  return async ({ days }, { caller }) => {
    const { steps, total, declines, codesRefused } = await tellOverview(caller, days)
    return { steps: [...steps], total, declines: [...declines], codesRefused: [...codesRefused] }
  }
}
