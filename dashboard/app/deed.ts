import { signal, type ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

import { asRefused } from './ask.ts'
import type { Refused } from './call.ts'

/** What a person sets off by a button, with how it stands. */
export interface Deed {
  readonly isBusy: ReadonlySignal<boolean>
  /** Why the last one was refused, for the part `Refusal`; gone when the next begins. */
  readonly refused: ReadonlySignal<Refused | null>
  /** Never rejects. `done` follows where it was carried out, and whoever asked for it is still shown. */
  run(deed: () => Promise<unknown>, done?: () => void): Promise<void>
}

/** One button's deed, or those of which a page shows the last one. */
export function useDeed(): Deed {
  const deed = useMemo(makeDeed, [])
  useEffect(() => deed.leave, [deed])
  return deed
}

function makeDeed(): Deed & { leave: () => void } {
  const isBusy = signal(false)
  const refused = signal<Refused | null>(null)
  let isShown = true
  return {
    isBusy,
    refused,
    async run(deed, done) {
      isBusy.value = true
      refused.value = null
      try {
        await deed()
        if (isShown) done?.()
      } catch (err) {
        refused.value = asRefused(err)
      } finally {
        isBusy.value = false
      }
    },
    leave() {
      isShown = false
    },
  }
}
