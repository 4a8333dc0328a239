/** Does the work on every item, `widthMax` at a time, in order; results stand where their items stood. */
export async function pool<Item, Result>(
  items: readonly Item[],
  widthMax: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const walk = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as Item)
  }
  await Promise.all(Array.from({ length: Math.min(widthMax, items.length) }, walk))
  return results
}
