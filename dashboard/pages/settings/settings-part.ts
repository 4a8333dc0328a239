import type { Result } from '@tessera/contract/methods'

export type Settings = Result<'dashboard.settings.get'>

/** What a part of the page shows, and whom it tells that something changed. */
export interface PartOfSettings {
  readonly settings: Settings
  readonly onChanged: () => void
}
