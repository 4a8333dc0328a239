import { createHash } from 'node:crypto'

import { RpcError } from '@tessera/contract/errors'

import type { Clock } from '../../clock.ts'
import { type DisclosureKey, type DisclosureRow, disclosuresTable, findDisclosure, saveDisclosure } from '../../store/disclosures.ts'
import type { Store } from '../../store/store.ts'
import { makeVerifiedRows, type VerifiedRowDependencies } from '../verified-rows.ts'

/** The current and former disclosure texts. */
export interface Disclosures {
  /** Writes the current texts into the history with their time of use. Call it at start and about once an hour. */
  store(): Promise<void>
  /** Throws `consentUnknown` for a consent to a text that this service never issued. */
  requireIssued(consent: DisclosureKey | null): Promise<void>
  /** Null also for a text that does not have its hash or its MAC. */
  find(key: DisclosureKey): Promise<DisclosureRow | null>
  /** The current texts, one per language. */
  readonly today: DisclosureDependencies['texts']
}

export interface DisclosureDependencies extends VerifiedRowDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  /** The current texts, one per language. */
  readonly texts: readonly (DisclosureKey & { readonly text: string })[]
}

export function makeDisclosures({ store, clock, texts, ...deps }: DisclosureDependencies): Disclosures {
  const rows = makeVerifiedRows(deps, disclosuresTable)
  const today = new Set(texts.map(nameOf))
  return Object.freeze({
    today: texts,
    async store() {
      const now = clock.now()
      for (const { sha256, version, locale, text } of texts) {
        const row = { sha256, version, locale, text, firstUsedAt: now, lastUsedAt: now, mac: new Uint8Array(0) }
        await store.write(saveDisclosure, await rows.seal(row))
      }
    },
    async requireIssued(consent: DisclosureKey | null) {
      // The form may have been opened before the text changed, or by another process.
      if (consent === null || today.has(nameOf(consent))) return
      if ((await find(consent)) === null) throw new RpcError('consentUnknown', { data: 'consent' })
    },
    find,
  })

  /** A text that was changed, or that this service did not write, is not shown as one that cardholders agreed to. */
  async function find(key: DisclosureKey): Promise<DisclosureRow | null> {
    const row = await store.read(findDisclosure(key))
    return row !== null && (await rows.isValid(row)) && isTextOfHash(row) ? row : null
  }
}

function isTextOfHash({ text, sha256 }: DisclosureRow): boolean {
  return createHash('sha256').update(text).digest('hex') === sha256
}

function nameOf({ version, locale, sha256 }: DisclosureKey): string {
  return JSON.stringify([version, locale, sha256])
}
