import type { Result } from '@tessera/contract/methods'

export type Sandbox = Result<'dashboard.sandbox.get'>
export type Control = Sandbox['faults'][number]

/** Does something, says so, and shows everything anew. */
export type Change = (deed: () => Promise<unknown>, done: string) => Promise<void>

/** What each panel of the page is given. */
export interface PartOfSandbox {
  readonly sandbox: Sandbox
  readonly change: Change
}
