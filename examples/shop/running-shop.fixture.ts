import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url))
export const runProgram = promisify(execFile)

/** The shop and Tessera, started as a user starts them. */
export interface RunningShop {
  readonly url: string
  readonly tessera: string
  output: () => string
  stop: (signal: 'SIGINT' | 'SIGTERM') => Promise<number | null>
}

/** Starts both as `npm run example:shop` does. */
export async function startShop(folder: string): Promise<RunningShop> {
  const child: ChildProcess = spawn(process.execPath, ['examples/shop/start.ts', '--port=0', `--data=${folder}`], { cwd: repositoryRoot })
  let text = ''
  const url = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        const shopUrl = /The shop +(http:\S+)[^]*Ctrl-C/.exec(text)?.[1]
        if (shopUrl !== undefined) resolve(shopUrl)
      })
    }
  })
  const ended = once(child, 'exit')
  const shop = await Promise.race([url, ended.then(() => assert.fail(`the shop did not start: ${text}`))])
  return {
    url: shop,
    tessera: /Tessera +(http:\S+)/.exec(text)?.[1] ?? '',
    output: () => text,
    async stop(signal) {
      if (child.exitCode === null) child.kill(signal)
      await ended
      // No process uses the folder any more.
      assert.ok(!existsSync(join(folder, 'tessera', 'control.sock')), 'Tessera still runs')
      return child.exitCode
    },
  }
}

/** Runs a command of the operator's command line. */
export async function runTesseraForShop(folder: string, ...command: string[]): Promise<unknown> {
  const args = ['service/bin/tessera.mjs', ...command, '--json', `--data=${join(folder, 'tessera')}`]
  return JSON.parse((await runProgram(process.execPath, args, { cwd: repositoryRoot })).stdout)
}
