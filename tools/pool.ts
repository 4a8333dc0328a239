import { setTimeout as pause } from 'node:timers/promises'

export type PoolOptions = {
  /** How many items are worked on at the same time. */
  maxWidth: number
  /** Until this resolves, only one item at a time is worked on: something else uses the processors. */
  whenFree?: Promise<unknown>
  /** More items than `maxWidth`, while processors are idle. */
  extra?: ExtraWidth
}

export type ExtraWidth = {
  /** How many items more at most. */
  maxItems: number
  /** Whether processors have been idle since it was called the last time. */
  isIdle: () => boolean
  /** How often it is called. An item that has begun needs a while until it shows how busy it is. */
  intervalMs: number
}

/** Does the work on every item, in order, several at a time. Results are in the order of the items. */
export async function pool<Item, Result>(
  items: readonly Item[],
  { maxWidth, whenFree = Promise.resolve(), extra }: PoolOptions,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const runNext = async (): Promise<void> => {
    const index = next++
    results[index] = await work(items[index] as Item)
  }
  const run = async (): Promise<void> => {
    while (next < items.length) await runNext()
  }
  const runExtra = async ({ maxItems, isIdle, intervalMs }: ExtraWidth): Promise<void> => {
    const begun: Promise<void>[] = []
    let running = 0
    isIdle()
    while (next < items.length) {
      await pause(intervalMs)
      if (!isIdle() || running >= maxItems || next >= items.length) continue
      running++
      const item = runNext().finally(() => running--)
      // An error is thrown below, when the others have ended.
      item.catch(() => undefined)
      begun.push(item)
    }
    await Promise.all(begun)
  }
  const others = Array.from({ length: Math.min(maxWidth, items.length) - 1 }, () => whenFree.then(run))
  await Promise.all([run(), ...others, ...(extra === undefined ? [] : [runExtra(extra)])])
  return results
}
