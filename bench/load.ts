import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LoadAnswer, LoadOrder } from './load-words.ts'

/** The load generator, in a process of its own. */
export interface LoadGenerator {
  /** Throws when anything was answered without a result. */
  obey(order: LoadOrder): Promise<LoadAnswer>
  end(): Promise<void>
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(new URL('load-child.ts', import.meta.url)), { execArgv: [] })
  const leave = (): void => void child.kill('SIGKILL')
  process.once('exit', leave)
  return {
    async obey(order) {
      child.send(order)
      const [answer] = (await once(child, 'message')) as [LoadAnswer]
      if (answer.failed > 0) throw new Error(`${answer.failed} of ${answer.requests} requests failed, first: ${answer.failure}`)
      return answer
    },
    async end() {
      child.send({ order: 'end' })
      await once(child, 'exit')
      process.off('exit', leave)
    },
  }
}
