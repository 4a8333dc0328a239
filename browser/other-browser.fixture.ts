import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** A browser other than Chromium, with what the tests of the form and of the dashboard's sign-in need. Expressions are JavaScript; results are JSON values. */
export interface OtherBrowser {
  readonly name: string
  open: (url: string) => Promise<void>
  inPage: (expression: string) => Promise<unknown>
  /** Evaluates in the page's only frame. */
  inFrame: (expression: string) => Promise<unknown>
  /** Clicks an element of the frame as a mouse does. */
  click: (selector: string) => Promise<void>
  /** Presses keys one by one, in the focused element. */
  press: (keys: string) => Promise<void>
  stop: () => Promise<void>
}

/** WebDriver's codes of the keys Enter and Tab (W3C WebDriver §17.4.2). */
export const enterKey = '\uE007'
export const tabKey = '\uE004'

/** A child process. It is killed when it does not end by itself. */
export interface RunningProgram {
  readonly child: ChildProcess
  /** Resolves with the first group of the pattern in a line of its output. Throws when it ends, or when there is no such line in time. */
  readLine: (pattern: RegExp, stream?: Readable | null) => Promise<string>
  stop: () => Promise<void>
}

export function startBrowserProgram(file: string, args: readonly string[], { env = {}, extraPipe = false } = {}): RunningProgram {
  const pipes = ['ignore', 'pipe', 'pipe', ...(extraPipe ? ['pipe' as const] : [])] as const
  const child = spawn(file, args, { stdio: [...pipes], env: { ...process.env, ...env } })
  const ended = once(child, 'exit')
  const lines: string[] = []
  const remember = (line: string): unknown => lines.push(line) > 40 && lines.shift()
  const readers = [child.stdout, child.stderr, ...child.stdio.slice(3)].map((stream) =>
    createInterface({ input: stream as Readable }).on('line', remember),
  )
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  return {
    child,
    async readLine(pattern) {
      const found = new Promise<string>((resolve) => {
        for (const reader of readers) {
          reader.on('line', (line) => {
            const [, part] = pattern.exec(line) ?? []
            if (part !== undefined) resolve(part)
          })
        }
      })
      const timeout = new Promise<never>((_, reject) => {
        const fail = (): void => reject(new Error(`${file} did not start: ${lines.join('\n')}`))
        setTimeout(fail, startTimeoutMs).unref()
        child.once('exit', fail)
      })
      return Promise.race([found, timeout])
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        const killTimer = setTimeout(kill, stopTimeoutMs)
        await ended
        clearTimeout(killTimer)
      }
      process.off('exit', kill)
    },
  }
}

/** Polls until a condition holds in the page or the frame. Fails with `what` when it does not in time. */
export async function waitUntil(condition: () => Promise<unknown>, what: string | (() => string)): Promise<void> {
  const endsAt = performance.now() + waitTimeoutMs
  while (performance.now() < endsAt) {
    if ((await condition().catch(() => false)) === true) return
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs))
  }
  assert.fail(`did not happen in time: ${typeof what === 'string' ? what : what()}`)
}

const startTimeoutMs = 40_000
const stopTimeoutMs = 5000
const waitTimeoutMs = 20_000
const pollIntervalMs = 50
