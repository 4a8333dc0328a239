import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { plainEnvironment } from '../../../tools/service-child.ts'

/** What is typed, with the carriage return, when the terminal shows the prompt. */
export type TypedLine = readonly [prompt: RegExp, line: string]

export interface TerminalSession {
  readonly code: number | null
  /** Everything that the terminal showed, without carriage returns. */
  readonly shown: string
  /** How many prompts came. */
  readonly answered: number
}

/** Runs the command line at a terminal of its own, that of script(1), and types each line when its prompt has come. */
export async function runAtTerminal(args: readonly string[], typed: readonly TypedLine[]): Promise<TerminalSession> {
  const command = [process.execPath, launcher, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    env: plainEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  let answered = 0
  let from = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk
    const [prompt, line] = typed[answered] ?? []
    if (prompt?.test(shown.slice(from)) !== true) return
    answered += 1
    from = shown.length
    child.stdin.write(line ?? '')
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, shown: shown.replaceAll('\r', ''), answered }
}

const launcher = fileURLToPath(new URL('../../bin/tessera.mjs', import.meta.url))
