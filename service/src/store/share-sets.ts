import type { ShareSet } from '@tessera/vault/share-set'

import type { KeyStoreValues } from './keys.ts'

/** The sets of custodians' shares, as values of the key store. */
export interface ShareSetStore {
  /** Oldest first. Throws when a row is damaged. */
  list(): Promise<ShareSet[]>
  /** Durable when it resolves. */
  insert(set: ShareSet): Promise<void>
}

export function makeShareSetStore(values: KeyStoreValues): ShareSetStore {
  return Object.freeze<ShareSetStore>({
    list: async () =>
      (await values.listValues(prefix)).map(({ name, value }) => parseSet(name, value)).sort((a, b) => a.createdAt - b.createdAt),
    insert: (set) => values.saveValue(`${prefix}${set.setId}`, formatSet(set)),
  })
}

function formatSet({ knownAnswer, ...set }: ShareSet): Uint8Array {
  return Buffer.from(JSON.stringify({ ...set, knownAnswer: Buffer.from(knownAnswer).toString('hex') }))
}

/** The known answer proves the rest. */
function parseSet(name: string, value: Uint8Array): ShareSet {
  try {
    const { setId, threshold, shares, createdAt, knownAnswer } = JSON.parse(Buffer.from(value).toString()) as Record<string, unknown>
    if (typeof setId === 'string' && typeof knownAnswer === 'string' && [threshold, shares, createdAt].every(Number.isSafeInteger)) {
      const numbers = { threshold: Number(threshold), shares: Number(shares), createdAt: Number(createdAt) }
      return { setId, ...numbers, knownAnswer: Uint8Array.from(Buffer.from(knownAnswer, 'hex')) }
    }
  } catch {
    // Reported below, with its name.
  }
  throw new Error(`the value ${name} of the key store is damaged: restore the key store`)
}

const prefix = 'share_set.'
