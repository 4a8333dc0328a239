import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'

import { plainEnvironment, testServiceEnvironment } from '../../../tools/service-child.ts'
import type { RunningInfo } from '../app/lifecycle.ts'

/** Exit and output of a child process. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
}

export interface Child {
  readonly pid: number
  readonly out: () => string
  readonly err: () => string
  readonly ended: Promise<Ended>
  kill(signal: NodeJS.Signals): void
  /** Closes the read ends of its output, like a closed terminal. */
  closeStreams(): void
}

export interface Started extends Child {
  readonly facts: RunningInfo
  readonly folder: string
  /** Posts a call in the spec profile and returns status and JSON of the reply. */
  call(method: string, params: object, password?: boolean): Promise<Answered>
  /** Runs a command against it: the whole command line, in this process, which takes a tenth of the time of starting another. */
  ask(...args: string[]): Promise<Ended>
  /** Sends SIGTERM and returns the exit. Fails the test if the log tripwire found a card number. */
  stop(): Promise<Ended>
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly reply: { readonly result?: { readonly card: { readonly token: string; readonly verify: boolean } }; readonly error?: WireError }
}

export interface WireError {
  readonly code: number
  readonly reason: string
  readonly retry_after?: number
}

/** A temporary folder, deleted when the test file ends. */
export function makeScratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-child-'))
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** Runs the command line without settings of the environment. */
export function runTessera(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  nodeArgs: readonly string[] = [],
  { isDetached = false }: { readonly isDetached?: boolean } = {},
): Child {
  const environment = { ...plainEnvironment(), ...env }
  // In a session of its own a process has no terminal, even when the test has one.
  const child = spawn(process.execPath, [...nodeArgs, launcher, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: isDetached,
  })
  children.add(child)
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => {
      children.delete(child)
      resolve({ code, signal, ...said })
    })
  })
  const closeStreams = (): void => {
    child.stdout.destroy()
    child.stderr.destroy()
  }
  return { pid: child.pid ?? 0, out: () => said.out, err: () => said.err, ended, kill: (signal) => void child.kill(signal), closeStreams }
}

/** Starts a service on free ports and waits until it is ready. */
export async function startTesseraChild(folder: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const environment = { ...testServiceEnvironment(), ...env }
  const child = runTessera(['start', '--json', '--port=0', '--admin-port=0', `--data=${folder}`, ...args], environment)
  const facts = await readFacts(child)
  return {
    ...child,
    facts,
    folder,
    call: (method, params, password = false) => post(facts, method, params, password),
    ask: (...args) => runHere([...args, `--data=${folder}`]),
    async stop() {
      child.kill('SIGTERM')
      const ended = await child.ended
      assert.ok(!ended.err.includes('log_tripwire'), 'the tripwire behind the log fired')
      return ended
    },
  }
}

/**
 * Runs the command line in this process, in a tenth of the time. What a process adds (signals, pipes, the launcher) is tested with `runTessera`.
 */
export async function runHere(args: readonly string[]): Promise<Ended> {
  const { runCommandLine } = await import('../ops/cli/run.ts')
  const printed = { out: '', err: '' }
  const terminal = { out: (text: string) => void (printed.out += text), err: (text: string) => void (printed.err += text) }
  return { code: await runCommandLine(args, terminal), signal: null, ...printed }
}

/** Polls until `holds` returns true, for conditions without an event. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, seconds = 60): Promise<void> {
  const giveUpAt = performance.now() + seconds * 1000
  while (!(await holds())) {
    assert.ok(performance.now() < giveUpAt, `waited in vain for: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** What `start --json` prints when the service is ready. */
export async function readFacts(child: Child): Promise<RunningInfo> {
  const end = { reached: false }
  void child.ended.then(() => (end.reached = true))
  await until(() => end.reached || child.out().includes('\n'), 'a line of the service')
  const [line = ''] = child.out().split('\n')
  if (!line.startsWith('{"ready":')) throw new Error(`the service did not start: ${child.err()}${child.out()}`)
  return (JSON.parse(line) as { ready: RunningInfo }).ready
}

async function post({ url, demo }: RunningInfo, method: string, params: object, password: boolean): Promise<Answered> {
  const xAuth = password ? `${demo?.merchantId ?? ''}:${demo?.password ?? ''}` : (demo?.merchantId ?? '')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(`${url}/api/${method}`, { method: 'POST', headers: { 'x-auth': xAuth }, body })
  return { status: response.status, headers: response.headers, reply: (await response.json()) as Answered['reply'] }
}

const launcher = fileURLToPath(new URL('../../bin/tessera.mjs', import.meta.url))
const children = new Set<ChildProcess>()
// A failed test leaves its child processes running, and their pipes would keep this file from ending.
after(() => children.forEach((child) => child.kill('SIGKILL')))
