import type { Store } from '../store/store.ts'

const writes = [
  ...['insertCard', 'changeCard', 'beginVerification', 'settleVerification', 'tryCode', 'finishVerification'],
  ...['insertReceipt', 'changeReceipt', 'keepIdempotency', 'appendInbox', 'appendLedger'],
]

/** A store under a program that falls at one of its writes: from then on nobody hears from it. */
export interface DyingStore {
  readonly store: Store
  /** Resolves when the program has fallen. */
  readonly fallen: Promise<'fallen'>
}

/** Falls at the `write`th write from now, the first being 1; `isKept`: whether that one is durable, although nobody was told so. */
export function makeDyingStore(store: Store, { write, isKept }: { readonly write: number; readonly isKept: boolean }): DyingStore {
  const fallen = Promise.withResolvers<'fallen'>()
  const silence = new Promise<never>(() => undefined)
  let count = 0
  const dying = new Proxy({} as Store, {
    get(_nothing, name) {
      const found: unknown = Reflect.get(store, name)
      if (typeof found !== 'function') return found
      return async (...ask: unknown[]): Promise<unknown> => {
        if (count >= write) return silence
        if (!writes.includes(String(name)) || ++count < write) return Reflect.apply(found, store, ask) as unknown
        if (isKept) await Reflect.apply(found, store, ask)
        fallen.resolve('fallen')
        return silence
      }
    },
  })
  return { store: dying, fallen: fallen.promise }
}
