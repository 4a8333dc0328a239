/** What has been opened, to be closed in the reverse order; each is closed whatever becomes of the others. */
export interface Closing {
  add(close: () => unknown): void
  /** Closes everything, once. */
  closeAll(): Promise<void>
}

/** `failed` is told of a part that could not be closed; the others are closed all the same. */
export function makeClosing(failed: (err: unknown) => void): Closing {
  const closers: (() => unknown)[] = []
  return Object.freeze({
    add: (close: () => unknown) => void closers.push(close),
    async closeAll() {
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
        try {
          await close()
        } catch (err) {
          failed(err)
        }
      }
    },
  })
}
