/**
 * Counts the evaluated codes of this process in memory. The counts in the database have no MAC: without these, somebody who writes the database could
 * reset them between two guesses (docs/decisions/0035-bound-rows.md).
 */
export interface EvaluatedCodes {
  /**
   * Claims one evaluation under each of the caps. Waits while evaluations in progress could use a cap up, because a right code uses up none. Returns null,
   * or the cap that is used up: then nothing is claimed. Each claim has to be resolved.
   */
  claim(caps: readonly CodeCap[], now: number): Promise<CapUsedUp | null>
  /** Ends a claim. `unknown`: the store did not say whether it evaluated the code; that counts, and proves nothing. */
  resolve(caps: readonly CodeCap[], result: EvaluationResult): void
}

export type EvaluationResult = 'counted' | 'notCounted' | 'unknown'

export interface CodeCap {
  readonly kind: 'code' | 'cardDay'
  /** What is counted: a code, or a card number on a day. */
  readonly subject: string
  readonly max: number
  /** When the count may be forgotten, unix milliseconds. */
  readonly endsAt: number
}

export interface CapUsedUp {
  readonly cap: CodeCap
  /** Whether the store has confirmed that it counted as many evaluations. */
  readonly isConfirmed: boolean
}

interface EvaluationCount {
  pending: number
  counted: number
  unknown: number
  readonly endsAt: number
  /** Requests that wait for a pending evaluation. */
  waiting: (() => void)[]
}

export function makeEvaluatedCodes(): EvaluatedCodes {
  const counts = new Map<string, EvaluationCount>()
  return Object.freeze({ claim, resolve })

  async function claim(caps: readonly CodeCap[], now: number): Promise<CapUsedUp | null> {
    for (;;) {
      for (const cap of caps) {
        const { counted = 0, unknown = 0 } = counts.get(cap.subject) ?? {}
        if (counted + unknown >= cap.max) return { cap, isConfirmed: counted >= cap.max }
      }
      const full = caps.map(({ subject, max }) => ({ count: counts.get(subject), max })).find(({ count, max }) => isFull(count, max))
      if (full?.count === undefined) break
      const { waiting } = full.count
      await new Promise<void>((wake) => void waiting.push(wake))
    }
    if (counts.size >= maxSubjects) forgetEnded(now)
    for (const { subject, endsAt } of caps) {
      const count = counts.get(subject) ?? { pending: 0, counted: 0, unknown: 0, endsAt, waiting: [] }
      count.pending += 1
      counts.set(subject, count)
    }
    return null
  }

  function resolve(caps: readonly CodeCap[], result: EvaluationResult): void {
    for (const { subject } of caps) {
      const count = counts.get(subject)
      if (count === undefined) continue
      count.pending -= 1
      if (result !== 'notCounted') count[result] += 1
      else if (count.pending + count.counted + count.unknown === 0) counts.delete(subject)
      for (const wake of count.waiting.splice(0)) wake()
    }
  }

  /** When all are in force, the oldest half is forgotten, so that the memory is bounded. Counts with an evaluation in progress stay. */
  function forgetEnded(now: number): void {
    const idle = [...counts].filter(([, { pending }]) => pending === 0)
    for (const [subject, { endsAt }] of idle) if (endsAt <= now) counts.delete(subject)
    if (counts.size < maxSubjects) return
    for (const [subject] of idle.slice(0, maxSubjects / 2)) counts.delete(subject)
  }
}

function isFull(count: EvaluationCount | undefined, max: number): boolean {
  return count !== undefined && count.pending + count.counted + count.unknown >= max
}

const maxSubjects = 200_000
