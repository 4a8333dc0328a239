import { useSignal, type Signal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'
import { useEffect } from 'preact/hooks'

export type Sandbox = Result<'dashboard.sandbox.get'>
export type Control = Sandbox['faults'][number]

/** Does something, says so, and shows everything anew. */
export type Change = (deed: () => Promise<unknown>, done: string) => Promise<void>

/** What each panel of the page is given. */
export interface PartOfSandbox {
  readonly sandbox: Sandbox
  readonly change: Change
}

/** What a control shows: what was picked just now, until the service has told how it stands. `told` is the whole answer. */
export function useShown<T>(value: T, told: Sandbox): Signal<T> {
  const shown = useSignal(value)
  useEffect(() => void (shown.value = value), [told])
  return shown
}
