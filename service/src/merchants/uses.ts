import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import type { MerchantRow, Store } from '../store/store.ts'

import { liveOf, whichOf } from './credentials.ts'

/** Remembers when each password was last right, so that an operator sees whether the old one of a rotation is still in use. */
export interface CredentialUses {
  /** To be told of a right password; once an hour and password it is written down, and nobody waits for that. */
  note(merchant: MerchantRow, password: string): void
}

export function makeCredentialUses({ store, keyring, clock }: { store: Store; keyring: Keyring; clock: Clock }): CredentialUses {
  const noted = new Map<string, number>()
  return Object.freeze({
    note(merchant: MerchantRow, password: string) {
      if (liveOf(merchant).some((each) => isDue(merchant.id, each.number))) void write(merchant, password).catch(() => undefined)
    },
  })

  async function write(merchant: MerchantRow, password: string): Promise<void> {
    const used = await whichOf(keyring, merchant, password)
    if (used === null || !isDue(merchant.id, used.number)) return
    const key = keyOf(merchant.id, used.number)
    const now = clock.now()
    if (noted.size >= notedMax) noted.clear()
    noted.set(key, now)
    try {
      await store.noteCredentialUse({ merchantId: merchant.id, number: used.number, lastUsedAt: now })
    } catch {
      // What keeps it from being written keeps the call itself from being answered, and is told there.
      noted.delete(key)
    }
  }

  function isDue(merchantId: string, number: number): boolean {
    const at = noted.get(keyOf(merchantId, number))
    return at === undefined || Math.abs(clock.now() - at) >= everyMs
  }
}

function keyOf(merchantId: string, number: number): string {
  return `${merchantId} ${String(number)}`
}

const everyMs = 3_600_000
const notedMax = 8192
