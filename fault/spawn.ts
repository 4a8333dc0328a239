import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findOnPath } from '../tools/find-program.ts'
import { keepLast, plainEnvironment, readReady, testServiceEnvironment } from '../tools/service-child.ts'

/** The real service in a process of its own, started by its command line. */
export interface RunningService {
  readonly pid: number
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly adminUrl: string
  /** `<id>:<password>` of the demo merchant. */
  readonly xAuth: string
  /** The demo merchant's login of the dashboard. */
  readonly login: { readonly phone: string; readonly password: string }
  /** From the start of the process until it reports that it is ready. */
  readonly startMs: number
  /** Sends SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>
  /** Sends SIGTERM; resolves with the exit code, null when it had to be killed. */
  stop(): Promise<number | null>
  /** Resolves when it ends for any reason: with its exit code, or null after a signal. */
  readonly ended: Promise<number | null>
  /** The last part of its output. */
  output(): string
  /** How many times a text was in its stderr since the start; 0 with a log file. */
  countLines(text: string): number
}

export interface ServiceOptions {
  /** Flags of `tessera start` besides ports and `--json`. */
  readonly flags: readonly string[]
  /** Modules that are loaded before it (`node --import`). */
  readonly imports?: readonly URL[]
  /** Flags of Node. */
  readonly nodeFlags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The checkout whose program is run; by default this one. */
  readonly folder?: string
  /** A program that runs the service as its child, with its arguments (strace -D). */
  readonly wrapper?: readonly string[]
  /** A file for its stderr; by default the last part is stored for `output`. */
  readonly logFile?: string
  readonly maxStartSeconds?: number
}

/** A program that ended before it was ready. */
export class ProgramNotStarted extends Error {
  readonly exitCode: number | null
  constructor(script: string, exitCode: number | null, output: string) {
    super(`${script} did not start (${String(exitCode)}): ${output}`)
    this.exitCode = exitCode
  }
}

/** Starts a service on free ports and waits until it is ready. Throws `ProgramNotStarted`. */
export function startService(start: ServiceOptions): Promise<RunningService> {
  return startProgram(commandLine, { ...start, flags: ['start', '--json', '--port=0', '--admin-port=0', ...start.flags] })
}

/** Starts another program of this repository that reports that it is ready as the service does: one line of JSON. */
export async function startProgram(script: string, start: ServiceOptions): Promise<RunningService> {
  const { imports = [], nodeFlags = [], env = {}, wrapper: under = [], folder = root, logFile, maxStartSeconds = 60 } = start
  const node = [process.execPath, ...nodeFlags, ...imports.flatMap((url) => ['--import', url.href])]
  const [file = '', ...args] = [...endWithParent(), ...under, ...node, script, ...start.flags]
  const startedAt = performance.now()
  const stderr = logFile === undefined ? 'pipe' : openSync(logFile, 'a')
  const child = spawn(file, args, { cwd: folder, env: { ...testServiceEnvironment(), ...env }, stdio: ['ignore', 'pipe', stderr] })
  if (typeof stderr === 'number') closeSync(stderr)
  alive.add(child)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve)).finally(() => alive.delete(child))
  const said = keepLast(child)
  const lines = collectErrors(child)
  const late = setTimeout(() => child.kill('SIGKILL'), maxStartSeconds * 1000)
  const facts = await Promise.race([readAddress(child), ended.then(() => null)])
  clearTimeout(late)
  if (facts === null || child.pid === undefined) throw new ProgramNotStarted(script, await ended, said())
  return {
    ...facts,
    pid: child.pid,
    startMs: performance.now() - startedAt,
    ended,
    output: said,
    countLines: (text) => lines.filter((line) => line.includes(text)).length,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      const slow = setTimeout(() => child.kill('SIGKILL'), maxStopSeconds * 1000)
      child.kill('SIGTERM')
      return ended.finally(() => clearTimeout(slow))
    },
  }
}

/** Kills what a failed experiment left running. */
export async function killAll(): Promise<void> {
  for (const child of alive) {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
}

/** Runs another command of `tessera` to its end, and returns its exit code and output. */
export async function runCommand(args: readonly string[]): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, [commandLine, ...args], { cwd: root, env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  await once(child, 'close')
  return { code: child.exitCode, out }
}

/** Lets the program end with its parent (PR_SET_PDEATHSIG, by util-linux's setpriv). Empty where setpriv is missing. */
export function endWithParent(): readonly string[] {
  const setpriv = findOnPath('setpriv')
  return setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL', '--']
}

/** The error lines of its log. */
function collectErrors({ stderr }: ChildProcess): readonly string[] {
  const lines: string[] = []
  if (stderr !== null)
    createInterface({ input: stderr }).on('line', (line) => {
      if (lines.length < maxErrorLines && line.includes('"level":"error"')) lines.push(line)
    })
  return lines
}

type ServiceAddress = Pick<RunningService, 'url' | 'adminUrl' | 'xAuth' | 'login'>

async function readAddress(child: ChildProcess): Promise<ServiceAddress> {
  const { url, adminUrl, demo } = await readReady(child)
  const login = { phone: demo.dashboardPhone, password: demo.dashboardPassword }
  return { url, adminUrl, xAuth: `${demo.merchantId}:${demo.password}`, login }
}

const alive = new Set<ChildProcess>()
export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const commandLine = 'service/bin/tessera.mjs'
const maxStopSeconds = 30
const maxErrorLines = 10_000
