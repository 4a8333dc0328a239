import { decidePrimary, isOlder, type PrimaryCandidate, type SeenPrimary } from './fence.ts'
import type { HostProbe } from './host-probe.ts'

/** What the hosts said when they were looked at. */
export interface HostSurvey {
  /** Those that accept writes. */
  readonly candidates: readonly PrimaryCandidate[]
  /** Of the hosts that did not respond in time. */
  readonly errors: readonly unknown[]
}

/**
 * Looks at all hosts at once. A host that is silent, such as one whose packets are dropped, holds up nothing that is certain without it: two servers that
 * accept writes are refused at once, and a primary that is newer than the one seen last is followed after a moment in which a second one would respond. With
 * `isPatient` the look otherwise waits for all of them; without it, one that is as old as the one seen last is enough too.
 */
export async function lookAtHosts(
  probes: readonly Pick<HostProbe, 'look'>[],
  seen: SeenPrimary | null,
  isPatient: boolean,
): Promise<HostSurvey> {
  const candidates: PrimaryCandidate[] = []
  const errors: unknown[] = []
  const { promise: decided, resolve: onDecided } = Promise.withResolvers<void>()
  const { promise: successor, resolve: onSuccessor } = Promise.withResolvers<void>()
  const isSuccessor = (found: PrimaryCandidate, before: SeenPrimary): boolean =>
    isPatient ? isOlder(before, found) : !isOlder(found, before)
  const all = Promise.all(
    probes.map(async (probe) => {
      try {
        const found = await probe.look()
        if (found === null) return
        candidates.push(found)
        const decision = decidePrimary(candidates, seen)
        if (decision.kind === 'refuse' && decision.reason === 'two_primaries') onDecided()
        if (seen !== null && isSuccessor(found, seen)) onSuccessor()
      } catch (err) {
        errors.push(err)
      }
    }),
  )
  await Promise.race([all, decided, successor.then(() => pause(otherHostsMs))])
  return { candidates: [...candidates], errors: [...errors] }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

/** For hosts that respond, but later than the first. */
const otherHostsMs = 100
