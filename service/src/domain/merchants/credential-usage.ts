import type { Clock } from '../../clock.ts'
import { type Credential, recordCredentialUse } from '../../store/merchants.ts'
import type { Store } from '../../store/store.ts'

/** Records when each password was last used, so that an operator sees whether the old one is still in use during a rotation. */
export interface CredentialUsage {
  /** Call it after a successful authentication. Writes at most once an hour per password, in the background. */
  record(merchantId: string, credential: Credential): void
}

export function makeCredentialUsage({ store, clock }: { store: Store; clock: Clock }): CredentialUsage {
  const recordedAt = new Map<string, number>()
  return Object.freeze({
    record(merchantId: string, { number }: Credential) {
      if (isDue(merchantId, number)) void write(merchantId, number)
    },
  })

  async function write(merchantId: string, number: number): Promise<void> {
    const key = keyOf(merchantId, number)
    const now = clock.now()
    if (recordedAt.size >= maxRecorded) recordedAt.clear()
    recordedAt.set(key, now)
    try {
      await store.write(recordCredentialUse, { merchantId, number, lastUsedAt: now })
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
