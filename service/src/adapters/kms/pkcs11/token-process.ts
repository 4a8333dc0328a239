import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { KekUnavailableError } from '@tessera/vault/kek'

import { withTimeout, type Clock } from '../../../clock.ts'
import type { TokenRefusal, TokenReply, TokenRequest } from './messages.ts'

/** One process of the token. It does not keep the service running, and ends with it. */
export interface TokenProcess {
  /** Throws `KekUnavailableError` when the token is away, the process ends or does not answer in time; it is killed then. */
  call(request: TokenRequest): Promise<TokenReply>
  end(): void
  readonly hasEnded: () => boolean
}

export interface TokenProcessOptions {
  readonly clock: Clock
  /** How long one call may take, milliseconds. */
  readonly timeoutMs: number
  /** The process's program; a double in tests. */
  readonly program?: string
}

export function startTokenProcess({ clock, timeoutMs, program = tokenProgram }: TokenProcessOptions): TokenProcess {
  const child = fork(program, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' })
  const pending = new Map<number, (reply: TokenReply) => void>()
  let lastId = 0
  let endReason: string | null = null

  child.on('message', (message) => {
    const reply = message as TokenReply
    pending.get(reply.id)?.(reply)
  })
  child.on('error', (err) => end(`the process of the token failed: ${err.message}`))
  child.on('exit', (code, signal) => end(`the process of the token ended (${signal ?? `exit code ${String(code)}`})`))
  keepNothingRunning(child)
  return { call, end: () => end('the process of the token was closed'), hasEnded: () => endReason !== null }

  async function call(request: TokenRequest): Promise<TokenReply> {
    const id = ++lastId
    const late = unavailable(id, `the token did not answer within ${String(timeoutMs)} ms`)
    const reply = await withTimeout<TokenReply>({ clock, timeoutMs }, late, () => send(id, request)).finally(() => pending.delete(id))
    if (reply.kind !== 'unavailable') return reply
    // A session that was lost does not come back in this process.
    end(reply.message)
    throw new KekUnavailableError(reply.message)
  }

  function send(id: number, request: TokenRequest): Promise<TokenReply> {
    return new Promise((resolve) => {
      if (endReason !== null) {
        resolve(unavailable(id, endReason))
        return
      }
      pending.set(id, resolve)
      child.send({ id, request }, (err) => {
        if (err !== null) end(`the process of the token cannot be reached: ${err.message}`)
      })
    })
  }

  function end(reason: string): void {
    if (endReason !== null) return
    endReason = reason
    child.kill('SIGKILL')
    for (const [id, resolve] of pending) resolve(unavailable(id, reason))
  }
}

function unavailable(id: number, message: string): TokenRefusal {
  return { id, kind: 'unavailable', message }
}

function keepNothingRunning(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}

const tokenProgram = fileURLToPath(new URL('process.ts', import.meta.url))
