import { signal, type ReadonlySignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'

import { asRefused } from './ask.ts'
import type { Refused } from './call.ts'

/** What a person sets off by a button, with how it stands. */
export interface Deed {
  readonly isBusy: ReadonlySignal<boolean>
  /** Why the last one was refused, for the part `Refusal`; gone when the next begins. */
  readonly refused: ReadonlySignal<Refused | null>
  /** Never rejects. */
  run(deed: () => Promise<unknown>): Promise<void>
}

/** One button's deed, or those of which a page shows the last one. */
export function useDeed(): Deed {
  return useMemo(makeDeed, [])
}

function makeDeed(): Deed {
  const isBusy = signal(false)
  const refused = signal<Refused | null>(null)
  return {
    isBusy,
    refused,
    async run(deed) {
      isBusy.value = true
      refused.value = null
      try {
        await deed()
      } catch (err) {
        refused.value = asRefused(err)
      } finally {
        isBusy.value = false
      }
    },
  }
}
