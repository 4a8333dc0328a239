import { createInterface, type Interface } from 'node:readline'
import { Writable, type Readable } from 'node:stream'

import { ExitError } from '../exits.ts'

/** Asks a person at a terminal. */
export interface Prompter {
  /** Reads one line. Throws `ExitError` (`interrupted`) after Ctrl-C, or when the input ends. */
  ask(text: string): Promise<string>
  /** The same, without showing what is typed. */
  askSecret(text: string): Promise<string>
  print(text: string): void
  close(): void
}

/** `interrupted`: what is said after Ctrl-C. */
export function makePrompter(input: Readable, output: NodeJS.WritableStream, interrupted: string): Prompter {
  let isMuted = false
  const echo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) output.write(chunk)
      done()
    },
  })
  // Without a history, in which a secret could be found by the arrow keys.
  const lines: Interface = createInterface({ input, output: echo, historySize: 0, terminal: (input as { isTTY?: boolean }).isTTY === true })
  const waiting: ((line: string | null) => void)[] = []
  const early: string[] = []
  let hasEnded = false
  lines.on('line', (line) => {
    const next = waiting.shift()
    if (next === undefined) early.push(line)
    else next(line)
  })
  const end = (): void => {
    hasEnded = true
    for (const next of waiting.splice(0)) next(null)
  }
  lines.on('SIGINT', end)
  lines.on('close', end)

  async function read(text: string): Promise<string> {
    output.write(text)
    const line = early.shift() ?? (hasEnded ? null : await new Promise<string | null>((resolve) => waiting.push(resolve)))
    if (line !== null) return line.trim()
    output.write('\n')
    throw new ExitError('interrupted', interrupted)
  }

  return {
    ask: read,
    async askSecret(text) {
      isMuted = true
      try {
        return await read(text)
      } finally {
        isMuted = false
        output.write('\n')
      }
    },
    print: (text) => void output.write(`${text}\n`),
    close: () => lines.close(),
  }
}
