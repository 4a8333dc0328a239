import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const runProgram = promisify(execFile)

/** The shop and its Tessera, as a person starts them. */
export interface Started {
  readonly url: string
  readonly tessera: string
  said: () => string
  stop: (signal: 'SIGINT' | 'SIGTERM') => Promise<number | null>
}

/** Starts both as `npm run example:shop` does. */
export async function start(folder: string): Promise<Started> {
  const child: ChildProcess = spawn(process.execPath, ['examples/shop/start.ts', '--port=0', `--data=${folder}`], { cwd: root })
  let text = ''
  const url = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        const told = /The shop +(http:\S+)[^]*Ctrl-C/.exec(text)?.[1]
        if (told !== undefined) resolve(told)
      })
    }
  })
  const ended = once(child, 'exit')
  const shop = await Promise.race([url, ended.then(() => assert.fail(`it did not start: ${text}`))])
  return {
    url: shop,
    tessera: /Tessera +(http:\S+)/.exec(text)?.[1] ?? '',
    said: () => text,
    async stop(signal) {
      if (child.exitCode === null) child.kill(signal)
      await ended
      // Nothing holds the folder any more.
      assert.ok(!existsSync(join(folder, 'tessera', 'control.sock')), 'Tessera still runs')
      return child.exitCode
    },
  }
}

/** Asks the running service as its operator does. */
export async function tessera(folder: string, ...words: string[]): Promise<unknown> {
  const args = ['service/bin/tessera.mjs', ...words, '--json', `--data=${join(folder, 'tessera')}`]
  return JSON.parse((await runProgram(process.execPath, args, { cwd: root })).stdout)
}
