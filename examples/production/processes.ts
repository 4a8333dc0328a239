import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findOnPath } from '../../tools/find-program.ts'

/** A program of the example: started, killed, paused and started again, with its output in a file. */
export interface ManagedProcess {
  readonly name: string
  isRunning: () => boolean
  /** Throws when it does not run. */
  pid: () => number
  /** Starts it and waits until it is ready. */
  start: () => Promise<void>
  /** SIGTERM, and SIGKILL when it goes on for 20 s. */
  stop: () => Promise<void>
  /** SIGKILL. */
  kill: () => Promise<void>
  /** Everything that it and its earlier starts have printed. */
  output: () => string
}

export interface ProcessOptions {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** Its working folder, which gets `<name>.log`. */
  readonly folder: string
  readonly env?: NodeJS.ProcessEnv
  readonly user?: { readonly uid: number; readonly gid: number } | null
  /** Throws or resolves to false until the program can be used. */
  readonly isReady: () => Promise<boolean>
}

/** A program that ends with this one, for any reason (PR_SET_PDEATHSIG, by setpriv of util-linux). */
export function makeProcess({ name, command, folder, env, user = null, isReady }: ProcessOptions): ManagedProcess {
  const log = join(folder, `${name}.log`)
  const setpriv = findOnPath('setpriv')
  const [file, ...args] = [...(setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL', '--']), ...command]
  let child: ChildProcess | null = null
  const isRunning = (): boolean => child !== null && child.exitCode === null && child.signalCode === null
  const output = (): string => readFileSync(log, 'utf8')
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child
    if (ending === null || !isRunning()) return
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill(signal)
    ending.kill('SIGCONT')
    const late = setTimeout(() => ending.kill('SIGKILL'), 20_000)
    await ended
    clearTimeout(late)
  }
  return {
    name,
    output,
    isRunning,
    pid() {
      if (child?.pid === undefined || !isRunning()) throw new Error(`${name} does not run`)
      return child.pid
    },
    async start() {
      const fd = openSync(log, 'a')
      child = spawn(file ?? '', args, { cwd: folder, env: env ?? process.env, stdio: ['ignore', fd, fd], ...user })
      child.once('error', () => undefined)
      closeSync(fd)
      const giveUpAt = performance.now() + startMaxMs
      while (!(await isReady().catch(() => false))) {
        if (!isRunning() || performance.now() > giveUpAt) throw new Error(`${name} did not start:\n${output().slice(-4000)}`)
        await pause(50)
      }
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

/** Whether something listens on a port of this machine. Rejects when nothing does. */
export async function acceptsConnections(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return true
  } finally {
    socket.destroy()
  }
}

/** Stops a program and all it has started (SIGSTOP), as a machine that hangs. Returns what lets them go on. */
export function pauseTree(root: number): () => void {
  const pids = [root, ...listDescendants(root)]
  for (const pid of pids) signalIfThere(pid, 'SIGSTOP')
  return () => pids.forEach((pid) => signalIfThere(pid, 'SIGCONT'))
}

/** The processes that a program has started, and theirs, from Linux's /proc; `part` is a part of the command line. */
export function listDescendants(root: number, part = ''): number[] {
  const parents = new Map(readdirSync('/proc').flatMap((name) => readParent(name)))
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid)
    return parent !== undefined && (parent === root || isBelow(parent))
  }
  return [...parents.keys()].filter((pid) => isBelow(pid) && readCommand(pid).includes(part))
}

function readParent(name: string): [number, number][] {
  if (!/^\d+$/.test(name)) return []
  const [, parent] = /\nPPid:\t(\d+)\n/.exec(readProc(name, 'status')) ?? []
  return parent === undefined ? [] : [[Number(name), Number(parent)]]
}

function readCommand(pid: number): string {
  return readProc(String(pid), 'cmdline').replaceAll('\0', ' ')
}

/** Empty when the process has ended meanwhile. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err
  }
}

const startMaxMs = 60_000
