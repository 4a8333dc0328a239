import type { Value } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import type { Read, TransactionFunction } from '../store/transaction.ts'

/** The replacement of one query or one transaction in a test. */
export type StoreReplacement =
  | { readonly read: Read<unknown>; readonly run: (values: readonly Value[], original: () => Promise<unknown>) => Promise<unknown> }
  | { readonly transaction: unknown; readonly run: (input: never, original: () => Promise<unknown>) => Promise<unknown> }

/** Replaces every query with the statement of `query`. */
export function replaceRead<T>(
  query: Read<T>,
  run: (values: readonly Value[], original: () => Promise<T>) => Promise<T>,
): StoreReplacement {
  return { read: query, run: (values: readonly Value[], original: () => Promise<unknown>) => run(values, original as () => Promise<T>) }
}

/** Replaces a transaction. */
export function replaceWrite<I, T>(
  transaction: TransactionFunction<I, T>,
  run: (input: I, original: () => Promise<T>) => Promise<T>,
): StoreReplacement {
  return { transaction, run: (input: never, original: () => Promise<unknown>) => run(input, original as () => Promise<T>) }
}

/** A store whose given queries and transactions are replaced; all others reach `store`. */
export function replaceInStore(store: Store, ...replacements: readonly StoreReplacement[]): Store {
  const read: Store['read'] = (query) => {
    const found = replacements.find((each) => 'read' in each && each.read.statement === query.statement)
    const original = () => store.read(query)
    return found === undefined ? original() : (found.run(query.values as never, original) as ReturnType<typeof original>)
  }
  return {
    kind: store.kind,
    file: store.file,
    get durability() {
      return store.durability
    },
    ping: () => store.ping(),
    waitingWrites: () => store.waitingWrites(),
    connectionPools: () => store.connectionPools(),
    commitCount: () => store.commitCount(),
    sizeBytes: () => store.sizeBytes(),
    setAuditKey: (key) => store.setAuditKey(key),
    auditHeads: () => store.auditHeads(),
    watchAudit: (listener) => store.watchAudit(listener),
    tryLock: (name) => store.tryLock(name),
    isLocked: (name) => store.isLocked(name),
    close: (deadlineMs) => store.close(deadlineMs),
    scan: (query) => store.scan(query),
    read,
    readNow: read,
    write: (transaction, input) => {
      const found = replacements.find((each) => 'transaction' in each && each.transaction === transaction)
      const original = () => store.write(transaction, input)
      return found === undefined ? original() : (found.run(input as never, original) as ReturnType<typeof original>)
    },
  }
}

/** A store with only these; every other query and transaction fails. */
export function storeOf(...replacements: readonly StoreReplacement[]): Store {
  const refuse = () => Promise.reject(new Error('this test does not expect it of the store'))
  const none: Store = {
    kind: 'sqlite',
    file: null,
    durability: 'local',
    ping: refuse,
    waitingWrites: () => 0,
    connectionPools: () => [],
    commitCount: () => 0,
    sizeBytes: refuse,
    setAuditKey: () => undefined,
    auditHeads: () => [],
    watchAudit: () => undefined,
    tryLock: refuse,
    isLocked: refuse,
    close: refuse,
    read: refuse,
    readNow: refuse,
    scan: refuse,
    write: refuse,
  }
  return replaceInStore(none, ...replacements)
}
