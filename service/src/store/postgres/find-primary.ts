import { isOlder, type PrimaryCandidate, type SeenPrimary } from './fence.ts'
import type { HostProbe } from './host-probe.ts'

/** What the hosts said when they were looked at. */
export interface HostSurvey {
  /** Those that accept writes. */
  readonly candidates: readonly PrimaryCandidate[]
  /** Of the hosts that did not respond in time. */
  readonly errors: readonly unknown[]
}

/**
 * Looks at all hosts at once. With `isPatient` it waits for all of them; otherwise a primary that is not older than the one seen last is enough, and hosts
 * that are silent cost no time but a moment in which a second primary would respond.
 */
export async function lookAtHosts(probes: readonly HostProbe[], seen: SeenPrimary | null, isPatient: boolean): Promise<HostSurvey> {
  const candidates: PrimaryCandidate[] = []
  const errors: unknown[] = []
  let onSuccessor: () => void = () => undefined
  const successor = new Promise<void>((resolve) => (onSuccessor = resolve))
  const all = Promise.all(
    probes.map(async (probe) => {
      try {
        const found = await probe.look()
        if (found === null) return
        candidates.push(found)
        if (seen !== null && !isOlder(found, seen)) onSuccessor()
      } catch (err) {
        errors.push(err)
      }
    }),
  )
  await (isPatient ? all : Promise.race([all, successor.then(() => pause(otherHostsMs))]))
  return { candidates: [...candidates], errors: [...errors] }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

/** For hosts that respond, but later than the first. */
const otherHostsMs = 100
