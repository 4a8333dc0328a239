/** Collects a list from its beginning, page by page, to its end or until there are `most`; `isWhole` tells which. */
export async function collectPages<R>(
  ask: (after: string | null) => Promise<{ readonly rows: readonly R[]; readonly next: string | null }>,
  most: number,
  onPage: (count: number) => void = () => undefined,
): Promise<{ readonly all: readonly R[]; readonly isWhole: boolean }> {
  const all: R[] = []
  let after: string | null = null
  do {
    const { rows, next }: Awaited<ReturnType<typeof ask>> = await ask(after)
    all.push(...rows)
    after = next
    onPage(all.length)
  } while (after !== null && all.length < most)
  return { all, isWhole: after === null }
}
