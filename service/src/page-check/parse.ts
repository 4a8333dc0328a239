import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { RpcError } from '@tessera/contract/errors'

import type { Clock } from '../clock.ts'

import type { PageText, ParsedPage } from './parsed.ts'

/** Reads the source of a page against the rules. Throws `pageNotChecked` where it is too much to read, `overloaded` where others wait. */
export type Parse = (page: PageText) => Promise<ParsedPage>

export interface ParseParts {
  readonly clock: Pick<Clock, 'sleep'>
  /** The file that reads a page. */
  readonly program?: string
  /** What one page may take. */
  readonly timeMs?: number
}

/**
 * One page at a time, in a process of its own with little memory and little time: a worker thread whose heap is full takes the whole service
 * with it (docs/decisions/0024-page-check.md). The parser and its rules are loaded nowhere else.
 */
export function makeParse({ clock, program = parseChild, timeMs = parseMs }: ParseParts): Parse {
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
/** It reads files of the program and no more: it writes none, starts nothing, and has little memory. */
const execArgv = ['--permission', '--allow-fs-read=*', '--max-old-space-size=256', '--no-warnings']
const parseMs = 15_000
const waitingMax = 4
