import { askOnce, type Asked } from './ask.ts'
import type { Answer } from './reply.ts'
import { pauseMs, sleep } from './retry.ts'

/**
 * Asks until there is an answer that time alone does not change, `retriesMax` further tries are used up, or the signal ends it. Never throws.
 * The call changes nothing or carries an idempotency key: another may not be asked twice.
 */
export async function askUntilSettled(asked: Asked, retriesMax: number): Promise<Answer> {
  for (let tried = 0; ; tried++) {
    const answer = await askOnce(asked)
    if (answer.ok || !answer.problem.isRetryable || tried >= retriesMax) return answer
    const ms = pauseMs(tried, answer.problem, Math.random())
    if (ms === null) return answer
    await sleep(ms, asked.signal)
  }
}
