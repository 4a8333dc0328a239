import { RpcError } from '@tessera/contract/errors'

import type { Clock } from '../../clock.ts'
import { type DisclosureKey, type DisclosureRow, findDisclosure, saveDisclosure } from '../../store/disclosures.ts'
import type { Store } from '../../store/store.ts'

/** The current and former disclosure texts. */
export interface Disclosures {
  /** Writes the current texts into the history with their time of use. Call it at start and about once an hour. */
  store(): Promise<void>
  /** Throws `consentUnknown` for a consent to a text that this service never issued. */
  requireIssued(consent: DisclosureKey | null): Promise<void>
  find(key: DisclosureKey): Promise<DisclosureRow | null>
  /** The current texts, one per language. */
  readonly today: DisclosureDependencies['texts']
}

export interface DisclosureDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  /** The current texts, one per language. */
  readonly texts: readonly (DisclosureKey & { readonly text: string })[]
}

export function makeDisclosures({ store, clock, texts }: DisclosureDependencies): Disclosures {
  const today = new Set(texts.map(nameOf))
  return Object.freeze({
    today: texts,
    async store() {
      const now = clock.now()
      for (const text of texts) await store.write(saveDisclosure, { ...text, firstUsedAt: now, lastUsedAt: now })
    },
    async requireIssued(consent: DisclosureKey | null) {
      // The form may have been opened before the text changed, or by another process.
      if (consent === null || today.has(nameOf(consent))) return
      if ((await store.read(findDisclosure(consent))) === null) throw new RpcError('consentUnknown', { data: 'consent' })
    },
    find: (key: DisclosureKey) => store.read(findDisclosure(key)),
  })
}

function nameOf({ version, locale, sha256 }: DisclosureKey): string {
  return JSON.stringify([version, locale, sha256])
}
