import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** A browser that is not Chromium, as far as the form's whole way and the dashboard's door need one. Expressions are JavaScript; what they give is a value of JSON. */
export interface OtherBrowser {
  readonly name: string
  open: (url: string) => Promise<void>
  inPage: (expression: string) => Promise<unknown>
  /** In the one frame of the page. */
  inFrame: (expression: string) => Promise<unknown>
  /** Clicks an element of the frame as a mouse does. */
  click: (selector: string) => Promise<void>
  /** Presses keys, one by one, wherever the focus is. */
  press: (keys: string) => Promise<void>
  stop: () => Promise<void>
}

/** As WebDriver writes the key (W3C WebDriver §17.4.2). */
export const enterKey = '\uE007'

/** A process of ours: it is killed when it has not ended by itself, and its last words are told. */
export interface Started {
  readonly child: ChildProcess
  /** Resolves with what the pattern found in a line of what it writes; throws when it ends, or says nothing of the kind in time. */
  readLine: (pattern: RegExp, stream?: Readable | null) => Promise<string>
  stop: () => Promise<void>
}

export function startProgram(file: string, args: readonly string[], { env = {}, extraPipe = false } = {}): Started {
  const pipes = ['ignore', 'pipe', 'pipe', ...(extraPipe ? ['pipe' as const] : [])] as const
  const child = spawn(file, args, { stdio: [...pipes], env: { ...process.env, ...env } })
  const ended = once(child, 'exit')
  const lines: string[] = []
  const keep = (line: string): unknown => lines.push(line) > 40 && lines.shift()
  const readers = [child.stdout, child.stderr, ...child.stdio.slice(3)].map((stream) =>
    createInterface({ input: stream as Readable }).on('line', keep),
  )
  const leave = (): void => void child.kill('SIGKILL')
  process.once('exit', leave)
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
      const late = new Promise<never>((_, reject) => {
        const fail = (): void => reject(new Error(`${file} did not start: ${lines.join('\n')}`))
        setTimeout(fail, startMsMax).unref()
        child.once('exit', fail)
      })
      return Promise.race([found, late])
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        const slow = setTimeout(leave, stopMsMax)
        await ended
        clearTimeout(slow)
      }
      process.off('exit', leave)
    },
  }
}

/** Asks again and again until an expression is true of the page or the frame. */
export async function waitUntil(ask: () => Promise<unknown>, what: string): Promise<void> {
  const endsAt = performance.now() + waitMsMax
  while (performance.now() < endsAt) {
    if ((await ask().catch(() => false)) === true) return
    await new Promise((resolve) => setTimeout(resolve, askEveryMs))
  }
  assert.fail(`never came: ${what}`)
}

const startMsMax = 40_000
const stopMsMax = 5000
const waitMsMax = 20_000
const askEveryMs = 50
