import { RpcError } from '@tessera/contract/errors'

import type { Clock } from '../clock.ts'
import type { DisclosureKey, DisclosureRow, Store } from '../store/store.ts'

/** The texts that cardholders are and were asked to agree to. */
export interface Disclosures {
  /** Writes the texts of today into the history. To be called at start, and every hour or so, so that it tells when each was last used. */
  keep(): Promise<void>
  /** Throws `consentUnknown` for a consent to a text that this service has never issued. */
  expectIssued(consent: DisclosureKey | null): Promise<void>
  find(key: DisclosureKey): Promise<DisclosureRow | null>
  /** Those of today, each language one. */
  readonly today: DisclosureParts['texts']
}

export interface DisclosureParts {
  readonly store: Pick<Store, 'keepDisclosure' | 'findDisclosure'>
  readonly clock: Pick<Clock, 'now'>
  /** Of today, each language one. */
  readonly texts: readonly (DisclosureKey & { readonly text: string })[]
}

export function makeDisclosures({ store, clock, texts }: DisclosureParts): Disclosures {
  const today = new Set(texts.map(nameOf))
  return Object.freeze({
    today: texts,
    async keep() {
      const now = clock.now()
      for (const text of texts) await store.keepDisclosure({ ...text, firstUsedAt: now, lastUsedAt: now })
    },
    async expectIssued(consent: DisclosureKey | null) {
      // A form that was opened before the text changed, or by another process, is as good.
      if (consent === null || today.has(nameOf(consent))) return
      if ((await store.findDisclosure(consent)) === null) throw new RpcError('consentUnknown', { data: 'consent' })
    },
    find: (key: DisclosureKey) => store.findDisclosure(key),
  })
}

function nameOf({ version, locale, sha256 }: DisclosureKey): string {
  return JSON.stringify([version, locale, sha256])
}
