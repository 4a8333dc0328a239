import { insertReceipt, updateReceipt } from '../../store/receipts.ts'
import { insertLedgerEntry } from '../../store/sandbox-ledger.ts'
import type { Store } from '../../store/store.ts'
import { replaceInStore } from '../../testing/store.fixture.ts'

/** A store of a process that crashes at its nth payment write: from then on no call returns. */
export interface CrashingStore {
  readonly store: Store
  /** Resolves at the crash. */
  readonly crashed: Promise<true>
}

/** `isDurable`: whether the write at which it crashes is durable, although the caller never learns it. */
export function createCrashingStore(store: Store, at: { readonly write: number; readonly isDurable: boolean }): CrashingStore {
  let writes = 0
  let hasCrashed = false
  let crash = (_is: true) => {}
  const crashed = new Promise<true>((resolve) => (crash = resolve))
  const silence = <T>() => new Promise<T>(() => {})

  const crashing: Store = {
    ...replaceInStore(store),
    write: async (transaction, input) => {
      if (!counted.has(transaction)) return store.write(transaction, input)
      if (hasCrashed) return silence()
      writes += 1
      if (writes !== at.write) return store.write(transaction, input)
      hasCrashed = true
      if (at.isDurable) await store.write(transaction, input)
      crash(true)
      return silence()
    },
  }
  return { store: crashing, crashed: crashed }
}

const counted: ReadonlySet<unknown> = new Set<unknown>([insertReceipt, updateReceipt, insertLedgerEntry])
