/** Which primary was followed last: the number of its epoch in the fencing row, and its timeline. */
export interface SeenPrimary {
  readonly epoch: number
  readonly timeline: number
}

/** What a server that accepts writes says of itself. */
export interface PrimaryCandidate extends SeenPrimary {
  /** Its URL. */
  readonly host: string
  /** When the server was started: two names of one server have the same. */
  readonly startedAt: string
  /** Its timeline, which a promotion raises; 0 when the server has none to report. */
  readonly timeline: number
  /** The epoch in its fencing row; 0 without a row. */
  readonly epoch: number
  /** The timeline of the server that advanced the epoch last. A lower one of its own: the row was copied into another cluster. */
  readonly rowTimeline: number
  /** An operator chose it over other primaries: timelines up to this one, with a lower epoch, are not heeded. 0: nobody chose. */
  readonly chosenOver: number
}

export type PrimaryDecision =
  | { readonly kind: 'none' }
  | { readonly kind: 'follow'; readonly primary: PrimaryCandidate }
  | { readonly kind: 'refuse'; readonly reason: PrimaryRefusal; readonly found: readonly PrimaryCandidate[] }

/** `two_primaries`: more than one server accepts writes. `older_primary`: the only one is older than the one that was followed last. */
export type PrimaryRefusal = 'two_primaries' | 'older_primary'

/**
 * Decides which of the servers that accept writes is the primary. One that is not older than the last one is followed; with two, or an older one, nobody
 * but an operator can know which of them has the acknowledged writes (docs/decisions/0046-two-primaries.md).
 */
export function decidePrimary(candidates: readonly PrimaryCandidate[], seen: SeenPrimary | null): PrimaryDecision {
  const [newest, ...others] = withoutRepeated(candidates)
  if (newest === undefined) return { kind: 'none' }
  const rivals = others.filter(({ epoch, timeline }) => epoch >= newest.epoch || timeline > newest.chosenOver)
  if (rivals.length > 0) return { kind: 'refuse', reason: 'two_primaries', found: [newest, ...rivals] }
  const isCopied = newest.timeline < newest.rowTimeline
  if (isCopied || (seen !== null && isOlder(newest, seen))) return { kind: 'refuse', reason: 'older_primary', found: [newest] }
  return { kind: 'follow', primary: newest }
}

/** Whether the first is older: by its epoch, and within one epoch by its timeline. */
export function isOlder(one: SeenPrimary, other: SeenPrimary): boolean {
  return one.epoch < other.epoch || (one.epoch === other.epoch && one.timeline < other.timeline)
}

/** Newest first. */
function byAge(one: PrimaryCandidate, other: PrimaryCandidate): number {
  return other.epoch - one.epoch || other.timeline - one.timeline
}

/** Of one server under two names, what it said last: its epoch may have been advanced between the two looks. */
function withoutRepeated(candidates: readonly PrimaryCandidate[]): PrimaryCandidate[] {
  const servers = new Map<string, PrimaryCandidate>()
  for (const each of [...candidates].sort(byAge)) {
    const server = `${each.startedAt} ${each.timeline}`
    if (!servers.has(server)) servers.set(server, each)
  }
  return [...servers.values()]
}
