import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LoadAnswer, LoadOrder, LoadProblem } from './load-words.ts'

/** The load generator, in a process of its own. */
export interface LoadGenerator {
  /** Throws when anything was answered without a result, a connection ended, or the load generator itself. */
  obey(order: LoadOrder): Promise<LoadAnswer>
  end(): Promise<void>
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(new URL('load-child.ts', import.meta.url)), { execArgv: [] })
  const leave = (): void => void child.kill('SIGKILL')
  process.once('exit', leave)
  return {
    async obey(order) {
      const answered = nextMessage(child)
      child.send(order)
      const answer = await answered
      if ('problem' in answer) throw new Error(`the load generator: ${answer.problem}`)
      if (answer.failed > 0) throw new Error(`${answer.failed} of ${answer.requests} requests failed, first: ${answer.failure}`)
      return answer
    },
    async end() {
      if (child.exitCode === null && child.signalCode === null) {
        child.send({ order: 'end' })
        await once(child, 'exit')
      }
      process.off('exit', leave)
    },
  }
}

/** Rejects when it ends first. */
async function nextMessage(child: ChildProcess): Promise<LoadAnswer | LoadProblem> {
  const done = new AbortController()
  const { signal } = done
  const ended = once(child, 'exit', { signal }).then(([code, killedBy]) => {
    throw new Error(`the load generator ended (${String(code ?? killedBy)})`)
  })
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [LoadAnswer | LoadProblem]
    return message
  } finally {
    ended.catch(() => undefined)
    done.abort()
  }
}
