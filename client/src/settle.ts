import { askOnce, type Asked } from './ask.ts'
import type { Answer } from './reply.ts'
import { pauseMs, sleep } from './retry.ts'

/** A call with the rules of its repetition. */
export interface Insistence {
  readonly retriesMax: number
  /** Changes nothing, or carries an idempotency key: only then may it be asked twice. */
  readonly isRepeatable: boolean
}

/** Asks until there is an answer that time alone does not change, the tries are used up, or the signal ends it. Never throws. */
export async function askUntilSettled(asked: Asked, { retriesMax, isRepeatable }: Insistence): Promise<Answer> {
  for (let tried = 0; ; tried++) {
    const answer = await askOnce(asked)
    if (answer.ok || !answer.problem.isRetryable || !isRepeatable || tried >= retriesMax) return answer
    const ms = pauseMs(tried, answer.problem, Math.random())
    if (ms === null) return answer
    await sleep(ms, asked.signal)
  }
}
