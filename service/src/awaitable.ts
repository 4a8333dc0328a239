/**
 * A value, or the promise of one where something has to be waited for. A read of the embedded store, a loaded key and a cached merchant are there at once, so a
 * `cards.check` runs from its bytes to its reply without a promise (docs/decisions/0117-answering-thread.md).
 */
export type Awaitable<T> = T | Promise<T>

/** Calls `use` with the value: at once, or when the promise has resolved. */
export function whenDone<T, R>(value: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
