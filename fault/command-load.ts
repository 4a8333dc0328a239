import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { plainEnvironment } from '../tools/service-child.ts'

import type { ApiClient, CallOutcome } from './api-client.ts'
import type { EventLoopDelays } from './measured-delays.ts'
import { callsBetween, countFailures, p99Ms, startOpenLoad } from './open-load.ts'
import type { ServiceData } from './service-data.ts'
import { root, type RunningService } from './spawn.ts'
import { largest } from './statistics.ts'

/** What calls and the event loop noticed of a command. */
export interface LoadWithCommand extends EventLoopDelays {
  readonly seconds: number
  /** Lines of progress that the command printed: away from a terminal one every ten seconds. */
  readonly progressLines: number
  readonly callsP99Ms: number
  /** Calls without a result. */
  readonly failed: number
  readonly slowestHealthMs: number
}

export interface LoadBesideCommand {
  readonly perSecond: number
  readonly call: (client: ApiClient) => Promise<CallOutcome>
  /** Reads the delays of the event loop since the last reading. */
  readonly readDelays: () => Promise<EventLoopDelays>
}

/** Sends calls and health requests at a fixed rate while `work` is done, which returns how many lines of progress it printed. */
export async function measureLoad(
  running: RunningService,
  { perSecond, call, readDelays }: LoadBesideCommand,
  work: () => Promise<number>,
): Promise<LoadWithCommand> {
  const end = new AbortController()
  const load = startOpenLoad({ ...running, perSecond, call, until: end.signal })
  const health = watchHealth(running, end.signal)
  await pause(1000)
  await readDelays()
  const from = performance.now()
  const progressLines = await work()
  const to = performance.now()
  const delays = await readDelays()
  end.abort()
  await load.ended
  const calls = callsBetween(load, { from, to })
  return {
    ...delays,
    progressLines,
    seconds: (to - from) / 1000,
    callsP99Ms: p99Ms(calls),
    failed: countFailures(calls),
    slowestHealthMs: largest(await health),
  }
}

async function watchHealth({ adminUrl }: RunningService, until: AbortSignal): Promise<number[]> {
  const times: number[] = []
  while (!until.aborted) {
    const sentAt = performance.now()
    await (await fetch(new URL('/healthz', adminUrl))).text()
    times.push(performance.now() - sentAt)
    await pause(20)
  }
  return times
}

/**
 * Runs a command of `tessera` to its end, with values in place of `<merchant>` and `<file>`, and returns how many lines of progress it printed. At a terminal,
 * that of script(1), it prints one whenever it is told how far it is. A finding is not expected.
 */
export async function runLongCommand(
  { folder, flags }: ServiceData,
  { xAuth }: RunningService,
  { words, isAtTerminal = false }: { readonly words: readonly string[]; readonly isAtTerminal?: boolean },
): Promise<number> {
  const [merchantId = ''] = xAuth.split(':')
  const args = words.map((word) =>
    word === '<merchant>' ? merchantId : word === '<file>' ? join(folder, `export-${String(Date.now())}`) : word,
  )
  const data = flags.filter((flag) => flag.startsWith('--data='))
  const command = [process.execPath, 'service/bin/tessera.mjs', ...args, ...data]
  const atTerminal = ['script', '--quiet', '--return', '--flush', '--command', command.map((word) => `'${word}'`).join(' '), '/dev/null']
  const [file = '', ...rest] = isAtTerminal ? atTerminal : command
  const child = spawn(file, rest, { cwd: root, env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let progressLines = 0
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      out = `${out}${text}`.slice(-2000)
      progressLines += text.match(/ \(\d+ %\)/g)?.length ?? 0
    })
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`tessera ${args.join(' ')} ended with ${String(child.exitCode)}: ${out}`)
  return progressLines
}

/** Without its values. */
export function nameOfCommand(words: readonly string[]): string {
  return words.filter((word) => /^[a-z]+$/.test(word)).join(' ')
}

/** For a report of progress. */
export function describeLoad({ seconds, longestMs, longestWorkMs, slowestHealthMs, callsP99Ms }: LoadWithCommand): string {
  const [took, stall, work, health, calls] = [seconds, longestMs, longestWorkMs, slowestHealthMs, callsP99Ms].map((value) =>
    value.toFixed(1),
  )
  return `${String(took)} s, longest stall ${String(stall)} ms (${String(work)} ms of CPU), /healthz ${String(health)} ms, p99 of calls ${String(calls)} ms`
}
