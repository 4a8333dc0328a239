/** How long and how often (docs/guides/dashboard.md). */
export interface DashboardFigures {
  /** A session ends after so long without a call (PCI DSS 8.2.8), and after so long whatever happens. */
  readonly idleMs: number
  readonly absoluteMs: number
  /** Wrong tries that close a login, and for how long (PCI DSS 8.3.4). */
  readonly triesMax: number
  readonly lockMs: number
  /** Whether an issued password must be changed before anything else. */
  readonly mustChange: boolean
}

export const dashboardFigures: DashboardFigures = Object.freeze({
  idleMs: 15 * 60_000,
  absoluteMs: 12 * 3_600_000,
  triesMax: 10,
  lockMs: 30 * 60_000,
  mustChange: true,
})
