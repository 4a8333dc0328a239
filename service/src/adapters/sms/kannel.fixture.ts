import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { until } from '../../testing/child.fixture.ts'

/** Programs of Debian's packages kannel and kannel-extras, in a folder of the test. */
export interface KannelFolder {
  /** Writes a configuration; returns its path. */
  write(name: string, text: string): string
  /** Starts a program; its output is collected. */
  start(program: string, args: readonly string[]): KannelProgram
  /** Ends every program and deletes the folder. */
  close(): Promise<void>
}

export interface KannelProgram {
  /** What it has written so far. */
  output(): string
  /** Resolves when its output matches; rejects when the program ends before. */
  said(pattern: RegExp): Promise<RegExpExecArray>
  /** Stops it so that it hangs, and waits until each of its threads does: they go on for a moment after the signal. */
  pause(): Promise<void>
  resume(): void
  stop(signal?: NodeJS.Signals): Promise<void>
}

export function openKannelFolder(): KannelFolder {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-kannel-'))
  const programs: KannelProgram[] = []
  return {
    write(name, text) {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    },
    start(program, args) {
      const started = startProgram(program, args, folder)
      programs.push(started)
      return started
    },
    async close() {
      await Promise.all(programs.map((program) => program.stop('SIGKILL')))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function startProgram(program: string, args: readonly string[], cwd: string): KannelProgram {
  const child: ChildProcess = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  // Kannel's programs run on when the test is ended from outside.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const waiting = new Set<() => void>()
  let output = ''
  let hasEnded = false
  const onOutput = (chunk: Buffer): void => {
    output += chunk.toString('latin1')
    for (const check of waiting) check()
  }
  child.stdout?.on('data', onOutput)
  child.stderr?.on('data', onOutput)
  child.once('close', () => {
    hasEnded = true
    for (const check of waiting) check()
  })
  return {
    output: () => output,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const found = pattern.exec(output)
          if (found === null && !hasEnded) return
          waiting.delete(check)
          if (found === null) reject(new Error(`${program} ended without ${String(pattern)}:\n${output.slice(-2000)}`))
          else resolve(found)
        }
        waiting.add(check)
        check()
      }),
    pause() {
      child.kill('SIGSTOP')
      return until(() => isStopped(child.pid ?? 0), `${program} to stop`)
    },
    resume: () => void child.kill('SIGCONT'),
    async stop(signal = 'SIGTERM') {
      if (hasEnded) return
      const ended = once(child, 'close')
      child.kill(signal)
      await ended
    },
  }
}

/** By Linux's /proc: the state of each thread. */
function isStopped(pid: number): boolean {
  const threads = `/proc/${String(pid)}/task`
  return readdirSync(threads).every((thread) => /\) T /.test(readFileSync(join(threads, thread, 'stat'), 'latin1')))
}

/** Resolves when something listens on a port of the loopback. */
export function untilListening(port: number): Promise<void> {
  return until(() => isListening(port), `something to listen on port ${String(port)}`)
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' })
  const isOpen = await new Promise<boolean>((resolve) => socket.once('connect', () => resolve(true)).once('error', () => resolve(false)))
  socket.destroy()
  return isOpen
}
