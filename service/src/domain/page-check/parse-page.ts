import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { RpcError } from '@tessera/contract/errors'

import type { Clock } from '../../clock.ts'

import type { PageText, ParsedPage } from './parsed-page.ts'

/** Parses a page and checks the rules. Throws `pageNotChecked` when the page is too large, `overloaded` when the queue is full. */
export type ParsePage = (page: PageText) => Promise<ParsedPage>

export interface ParsePageDependencies {
  readonly clock: Pick<Clock, 'sleep'>
  /** The script of the child process. */
  readonly program?: string
  /** Time and memory limits for one page. */
  readonly timeMs?: number
}

/**
 * Parses one page at a time in a child process with limited memory and time: a worker thread that exhausts its heap would end the whole
 * service (docs/decisions/0024-page-check.md). The parser and its rules are loaded only there.
 */
export function makeParsePage({ clock, program = parseChild, timeMs = parseMs }: ParsePageDependencies): ParsePage {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return (page) => {
    if (waiting >= waitingMax) return Promise.reject(new RpcError('overloaded', { retryAfterMs: timeMs }))
    waiting++
    const parsed = last.then(() => parseOne(page))
    last = parsed.then(
      () => waiting--,
      () => waiting--,
    )
    return parsed
  }

  async function parseOne(page: PageText): Promise<ParsedPage> {
    const child = fork(program, [], { execArgv, env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'json' })
    const over = new AbortController()
    try {
      return await new Promise<ParsedPage>((resolve, reject) => {
        const tooMuch = (cause?: unknown): void => reject(new RpcError('pageNotChecked', { data: 'too_complex', cause }))
        child.once('message', (parsed) => resolve(parsed as ParsedPage))
        child.once('error', tooMuch)
        child.once('exit', (code, signal) => tooMuch(new Error(`the reader ended: ${String(code ?? signal)}`)))
        clock.sleep(timeMs, over.signal).then(() => tooMuch(new Error('it took too long')), tooMuch)
        child.send(page, (err) => (err === null ? undefined : tooMuch(err)))
      })
    } finally {
      over.abort()
      child.kill('SIGKILL')
    }
  }
}

const parseChild = fileURLToPath(new URL('parse-child.ts', import.meta.url))
/** The child may only read the program's files: no writes, no child processes, little memory. */
const execArgv = ['--permission', '--allow-fs-read=*', '--max-old-space-size=256', '--no-warnings']
const parseMs = 15_000
const waitingMax = 4
