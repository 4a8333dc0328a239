import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findOnPath } from '../tools/find-program.ts'
import { keepLast, plainEnvironment, readReady } from '../tools/service-child.ts'

/** A service in a process of its own: the real one, from the real command line. */
export interface Running {
  readonly pid: number
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly adminUrl: string
  /** `<id>:<password>` of the demo merchant. */
  readonly xAuth: string
  /** From the start of the process to its word that it is ready. */
  readonly startMs: number
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** SIGTERM; resolves with the exit code, null when it had to be killed. */
  stop(): Promise<number | null>
  /** Resolves when it ends, however it does: its exit code, or null after a signal. */
  readonly ended: Promise<number | null>
  /** The last of what it said. */
  said(): string
}

export interface Start {
  /** Flags of `tessera start` besides ports and `--json`. */
  readonly flags: readonly string[]
  /** Modules that are loaded before it (`node --import`). */
  readonly imports?: readonly URL[]
  /** Flags of Node. */
  readonly nodeFlags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** A program that runs it in its own stead, with that program's arguments (strace -D). */
  readonly under?: readonly string[]
  /** A file for what it says on stderr; by default the last of it is kept for `said`. */
  readonly logFile?: string
  readonly startSecondsMax?: number
}

/** Starts a service on free ports and waits until it is ready. Throws with its last words when it does not start. */
export function startTessera(start: Start): Promise<Running> {
  return startProgram(commandLine, { ...start, flags: ['start', '--json', '--port=0', '--admin-port=0', ...start.flags] })
}

/** Starts a program of ours that says that it is ready as the service does: one line of JSON. */
export async function startProgram(script: string, start: Start): Promise<Running> {
  const { imports = [], nodeFlags = [], env = {}, under = [], logFile, startSecondsMax = 60 } = start
  const node = [process.execPath, ...nodeFlags, ...imports.flatMap((url) => ['--import', url.href])]
  const [file = '', ...args] = [...dieWithUs(), ...under, ...node, script, ...start.flags]
  const startedAt = performance.now()
  const stderr = logFile === undefined ? 'pipe' : openSync(logFile, 'a')
  const child = spawn(file, args, { cwd: root, env: { ...plainEnvironment(), ...env }, stdio: ['ignore', 'pipe', stderr] })
  if (typeof stderr === 'number') closeSync(stderr)
  alive.add(child)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve)).finally(() => alive.delete(child))
  const said = keepLast(child)
  const late = setTimeout(() => child.kill('SIGKILL'), startSecondsMax * 1000)
  const facts = await Promise.race([readFacts(child), ended.then(() => null)])
  clearTimeout(late)
  if (facts === null || child.pid === undefined) throw new Error(`${script} did not start (${String(await ended)}): ${said()}`)
  return {
    ...facts,
    pid: child.pid,
    startMs: performance.now() - startedAt,
    ended,
    said,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      const slow = setTimeout(() => child.kill('SIGKILL'), stopSecondsMax * 1000)
      child.kill('SIGTERM')
      return ended.finally(() => clearTimeout(slow))
    },
  }
}

/** Ends what an experiment that failed half-way left running. */
export async function killAll(): Promise<void> {
  for (const child of alive) {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
}

/** Runs another command of `tessera` to its end: its exit code and what it said. */
export async function runTessera(args: readonly string[]): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, [commandLine, ...args], { cwd: root, env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  await once(child, 'close')
  return { code: child.exitCode, out }
}

/** The program ends when we do, however we do (PR_SET_PDEATHSIG, by util-linux); nothing where setpriv is missing. */
export function dieWithUs(): readonly string[] {
  const setpriv = findOnPath('setpriv')
  return setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL', '--']
}

type Facts = Pick<Running, 'url' | 'adminUrl' | 'xAuth'>

async function readFacts(child: ChildProcess): Promise<Facts> {
  const { url, adminUrl, demo } = await readReady(child)
  return { url, adminUrl, xAuth: `${demo.merchantId}:${demo.password}` }
}

const alive = new Set<ChildProcess>()
export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const commandLine = 'service/bin/tessera.mjs'
const stopSecondsMax = 30
