import type { PrimaryCandidate, PrimaryDecision } from '../../service/src/store/postgres/fence.ts'

// Loaded in place of a whole module (planted-faults.ts), so it is one.

/** Takes the first that responded. */
function takeFirst(candidates: readonly PrimaryCandidate[]): PrimaryDecision {
  const [primary] = candidates
  return primary === undefined ? { kind: 'none' } : { kind: 'follow', primary }
}

export { takeFirst as decidePrimary }
export { isOlder } from '../../service/src/store/postgres/fence.ts'
export type { PrimaryCandidate, PrimaryDecision, PrimaryRefusal, SeenPrimary } from '../../service/src/store/postgres/fence.ts'
