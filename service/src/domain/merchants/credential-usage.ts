import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import { type MerchantRow, recordCredentialUse } from '../../store/merchants.ts'
import type { Store } from '../../store/store.ts'

import { activeCredentials, findMatchingCredential } from './credentials.ts'

/** Records when each password was last used, so that an operator sees whether the old one is still in use during a rotation. */
export interface CredentialUsage {
  /** Call it after a successful authentication. Writes at most once an hour per password, in the background. */
  record(merchant: MerchantRow, password: string): void
}

export function makeCredentialUsage({ store, keyring, clock }: { store: Store; keyring: Keyring; clock: Clock }): CredentialUsage {
  const recordedAt = new Map<string, number>()
  return Object.freeze({
    record(merchant: MerchantRow, password: string) {
      if (activeCredentials(merchant).some((each) => isDue(merchant.id, each.number))) void write(merchant, password).catch(() => undefined)
    },
  })

  async function write(merchant: MerchantRow, password: string): Promise<void> {
    const used = await findMatchingCredential(keyring, merchant, password)
    if (used === null || !isDue(merchant.id, used.number)) return
    const key = keyOf(merchant.id, used.number)
    const now = clock.now()
    if (recordedAt.size >= maxRecorded) recordedAt.clear()
    recordedAt.set(key, now)
    try {
      await store.write(recordCredentialUse, { merchantId: merchant.id, number: used.number, lastUsedAt: now })
    } catch {
      // The store fault that prevents this write also fails the request itself, and is reported there.
      recordedAt.delete(key)
    }
  }

  function isDue(merchantId: string, number: number): boolean {
    const at = recordedAt.get(keyOf(merchantId, number))
    return at === undefined || Math.abs(clock.now() - at) >= intervalMs
  }
}

function keyOf(merchantId: string, number: number): string {
  return `${merchantId} ${String(number)}`
}

const intervalMs = 3_600_000
const maxRecorded = 8192
