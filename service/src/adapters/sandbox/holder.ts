import type { HolderMatch } from '../holder-match.ts'
import { holderAdapter, type HolderService } from '../holder/holder.ts'
import { findScenarioStep } from '../../store/sandbox.ts'
import type { Store } from '../../store/store.ts'

import type { FaultyMethod } from './faults.ts'

/** The service of the test environment that says whether a phone is the cardholder's: it is, unless the merchant simulates another reply. */
export const sandboxHolder = holderAdapter({ name: 'sandbox', isForTestOnly: true, settings: {}, create: makeSandboxHolder })

export function makeSandboxHolder({ store }: { readonly store: Pick<Store, 'read'> }): HolderService {
  return Object.freeze({
    isSimulated: true,
    async check({ merchantId }: { readonly merchantId: string }): Promise<HolderMatch> {
      const fault = await store.read(findScenarioStep(merchantId, 'holder' satisfies FaultyMethod))
      if (fault === 'rejected') throw new Error('the holder service of the sandbox fails, as its merchant wants')
      return fault === 'holder_mismatch' ? 'mismatch' : fault === 'holder_unknown' ? 'unknown' : 'match'
    },
  })
}
