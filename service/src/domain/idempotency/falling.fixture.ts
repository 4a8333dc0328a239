import { insertCard, updateCard } from '../../store/cards.ts'
import { saveIdempotencyOutcome } from '../../store/idempotency.ts'
import { insertReceipt, updateReceipt } from '../../store/receipts.ts'
import { insertLedgerEntry } from '../../store/sandbox-ledger.ts'
import { insertInboxSms } from '../../store/sandbox.ts'
import type { Store } from '../../store/store.ts'
import { beginVerification, checkCode, completeVerification, recordSendResult } from '../../store/verifications.ts'

// prettier-ignore
const counted: ReadonlySet<unknown> = new Set<unknown>([
  insertCard, updateCard, beginVerification, recordSendResult, checkCode, completeVerification,
  insertReceipt, updateReceipt, saveIdempotencyOutcome, insertInboxSms, insertLedgerEntry,
])

/** A store for a process that crashes at one of its writes: no call returns after it. */
export interface KeyedCrashingStore {
  readonly store: Store
  /** Resolves when the program has crashed. */
  readonly fallen: Promise<'fallen'>
}

/** Crashes at the `write`th write from now, the first being 1; `isKept`: whether that one is durable, although it was never acknowledged. */
export function makeCrashingStore(
  store: Store,
  { write, isKept }: { readonly write: number; readonly isKept: boolean },
): KeyedCrashingStore {
  const fallen = Promise.withResolvers<'fallen'>()
  const silence = new Promise<never>(() => undefined)
  let count = 0
  const crashing: Store = {
    kind: store.kind,
    file: store.file,
    durability: store.durability,
    waitingWrites: () => store.waitingWrites(),
    connectionPools: () => store.connectionPools(),
    commitCount: () => store.commitCount(),
    sizeBytes: () => store.sizeBytes(),
    ping: async () => (count >= write ? silence : store.ping()),
    setAuditKey: (key) => store.setAuditKey(key),
    auditHeads: () => store.auditHeads(),
    watchAudit: (listener) => store.watchAudit(listener),
    tryLock: async (name) => (count >= write ? silence : store.tryLock(name)),
    isLocked: async (name) => (count >= write ? silence : store.isLocked(name)),
    close: async (deadlineMs) => (count >= write ? silence : store.close(deadlineMs)),
    read: async (query) => (count >= write ? silence : store.read(query)),
    readNow: async (query) => (count >= write ? silence : store.readNow(query)),
    scan: async (query) => (count >= write ? silence : store.scan(query)),
    write: async (transaction, input) => {
      if (count >= write) return silence
      if (!counted.has(transaction) || ++count < write) return store.write(transaction, input)
      if (isKept) await store.write(transaction, input)
      fallen.resolve('fallen')
      return silence
    },
  }
  return { store: crashing, fallen: fallen.promise }
}
