/** Writes that wait for something other than a writer, so that nobody has to look past them for those that can go on. */
export interface ParkedWrites<W> {
  /** How many there are. */
  readonly count: number
  /** Parks a write until `reason` is over. */
  park(reason: string, write: W): void
  /** Removes and returns those that wait for a reason. */
  release(reason: string): readonly W[]
  /** Removes and returns those that were called before a time. */
  removeOlder(than: number): readonly W[]
}

export function makeParkedWrites<W extends { readonly since: number }>(): ParkedWrites<W> {
  const parked = new Map<string, W[]>()
  let count = 0
  return {
    get count() {
      return count
    },
    park(reason, write) {
      const writes = parked.get(reason)
      if (writes === undefined) parked.set(reason, [write])
      else writes.push(write)
      count++
    },
    release(reason) {
      const writes = parked.get(reason) ?? []
      parked.delete(reason)
      count -= writes.length
      return writes
    },
    removeOlder(than) {
      const removed: W[] = []
      for (const [reason, writes] of parked) {
        const late = writes.filter(({ since }) => since < than)
        if (late.length === 0) continue
        removed.push(...late)
        const rest = writes.filter(({ since }) => since >= than)
        if (rest.length > 0) parked.set(reason, rest)
        else parked.delete(reason)
      }
      count -= removed.length
      return removed
    },
  }
}

/** Puts writes back among others, each behind those that were called before it. Both are in the order of their calls. */
export function mergeByAge<W extends { readonly since: number }>(queue: W[], writes: readonly W[]): void {
  if (writes.length === 0) return
  const merged: W[] = []
  let at = 0
  for (const write of writes) {
    for (let next = queue[at]; next !== undefined && next.since <= write.since; next = queue[++at]) merged.push(next)
    merged.push(write)
  }
  queue.splice(0, at, ...merged)
}
