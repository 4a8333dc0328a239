export type PoolOptions = {
  /** How many items are worked on at the same time. */
  maxWidth: number
  /** Until this resolves, only one item at a time is worked on: something else uses the processors. */
  whenFree?: Promise<unknown>
}

/** Does the work on every item, in order, several at a time. Results are in the order of the items. */
export async function pool<Item, Result>(
  items: readonly Item[],
  { maxWidth, whenFree = Promise.resolve() }: PoolOptions,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const run = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as Item)
  }
  const others = Array.from({ length: Math.min(maxWidth, items.length) - 1 }, () => whenFree.then(run))
  await Promise.all([run(), ...others])
  return results
}
