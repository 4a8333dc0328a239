import type { Result } from '@tessera/contract/methods'

/** What the page has been told; null: not yet. */
export interface Told {
  readonly found: Result<'dashboard.compliance.get'>
  readonly scripts: readonly Script[] | null
  readonly checks: Result<'dashboard.pageCheck.list'>['checks'] | null
  readonly rows: Result<'dashboard.compliance.responsibilities'>['rows'] | null
}

export type Script = Result<'dashboard.scripts.list'>['scripts'][number]
