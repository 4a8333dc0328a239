import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LoadResult, LoadOrder, LoadProblem } from './load-messages.ts'

/** The load generator, in a process of its own. */
export interface LoadGenerator {
  readonly pid: number
  /** Throws when a reply had no result, a connection ended, or the load generator itself ended. */
  run(order: LoadOrder): Promise<LoadResult>
  stop(): Promise<void>
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(new URL('load-child.ts', import.meta.url)), { execArgv: [] })
  const leave = (): void => void child.kill('SIGKILL')
  process.once('exit', leave)
  if (child.pid === undefined) throw new Error('the load generator did not start')
  return {
    pid: child.pid,
    async run(order) {
      const reply = nextMessage(child)
      child.send(order)
      const result = await reply
      if ('problem' in result) throw new Error(`the load generator: ${result.problem}`)
      if (result.failed > 0) throw new Error(`${result.failed} of ${result.requests} requests failed, first: ${result.failure}`)
      return result
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.send({ order: 'end' })
        await once(child, 'exit')
      }
      process.off('exit', leave)
    },
  }
}

/** Rejects when it ends first. */
async function nextMessage(child: ChildProcess): Promise<LoadResult | LoadProblem> {
  const done = new AbortController()
  const { signal } = done
  const ended = once(child, 'exit', { signal }).then(([code, killedBy]) => {
    throw new Error(`the load generator ended (${String(code ?? killedBy)})`)
  })
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [LoadResult | LoadProblem]
    return message
  } finally {
    ended.catch(() => undefined)
    done.abort()
  }
}
