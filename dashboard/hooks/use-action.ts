import { signal, type ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

import { toCallError, type DashboardCallError } from '../app/api.ts'

/** The state of what a button starts. */
export interface ActionState {
  readonly isBusy: ReadonlySignal<boolean>
  /** Why the last run failed, for `ErrorMessage`. Cleared when the next run begins. */
  readonly error: ReadonlySignal<DashboardCallError | null>
  /** Never rejects. `onDone` is called after success, and only while the component is still mounted. */
  run(action: () => Promise<unknown>, onDone?: () => void): Promise<void>
}

/** For one button, or for several of which the page shows the last run. */
export function useAction(): ActionState {
  const action = useMemo(createAction, [])
  useEffect(() => action.unmount, [action])
  return action
}

function createAction(): ActionState & { unmount: () => void } {
  const isBusy = signal(false)
  const error = signal<DashboardCallError | null>(null)
  let isMounted = true
  return {
    isBusy,
    error,
    async run(action, onDone) {
      isBusy.value = true
      error.value = null
      try {
        await action()
        if (isMounted) onDone?.()
      } catch (err) {
        error.value = toCallError(err)
      } finally {
        isBusy.value = false
      }
    },
    unmount() {
      isMounted = false
    },
  }
}
