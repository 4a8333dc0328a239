import type { Result } from '@tessera/contract/operations'

export type OverviewData = Result<'dashboard.overview.get'>
