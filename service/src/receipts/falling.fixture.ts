import type { Store } from '../store/store.ts'

/** A store under a program that falls at its nth write of money: from then on nobody hears from it. */
export interface FallingStore {
  readonly store: Store
  /** Resolves when the program has fallen. */
  readonly fallen: Promise<true>
}

/** `isKept`: whether the write at which it falls is durable, although nobody was told so. */
export function makeFallingStore(store: Store, at: { readonly write: number; readonly isKept: boolean }): FallingStore {
  let writes = 0
  let isFallen = false
  let fall = (_is: true) => {}
  const fallen = new Promise<true>((resolve) => (fall = resolve))
  const silence = <T>() => new Promise<T>(() => {})

  function counted<A extends unknown[], T>(write: (...ask: A) => Promise<T>): (...ask: A) => Promise<T> {
    return async (...ask) => {
      if (isFallen) return silence()
      writes += 1
      if (writes !== at.write) return write(...ask)
      isFallen = true
      if (at.isKept) await write(...ask)
      fall(true)
      return silence()
    }
  }

  const falling: Store = {
    ...store,
    durability: store.durability,
    insertReceipt: counted(store.insertReceipt),
    changeReceipt: counted(store.changeReceipt),
    appendLedger: counted(store.appendLedger),
  }
  return { store: falling, fallen }
}
