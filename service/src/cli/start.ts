import { startService } from '../main.ts'
import { makeLog } from '../observe/log.ts'
import { openLogSink } from '../observe/sink.ts'
import { makeSystemClock } from '../system-clock.ts'

import { printBanner } from './banner.ts'
import type { Asked, Outcome } from './command.ts'
import { switchCoreDumpsOff } from './core-dumps.ts'
import { takeOver } from './signals.ts'

/** `tessera start`: takes the process over, opens the service, and stays until a signal. */
export async function runStart(asked: Asked): Promise<Outcome> {
  const read = asked.settings()
  process.umask(0o077)
  const sink = openLogSink(STDERR)
  const clock = makeSystemClock()
  const log = makeLog(read.config.logLevel, sink)
  const life = takeOver(log, sink, clock)
  const service = await startService({ read, log, clock, stopping: life.stopping, endNow: life.endNow, coreDumps: switchCoreDumpsOff() })
  asked.print(asked.json ? `${JSON.stringify({ ready: service.facts })}\n` : printBanner(service.facts))
  await aborted(life.stopping)
  const left = await service.stop(String(life.stopping.reason))
  sink.flush()
  return { exit: 'done', facts: { stopped: { callsCutOff: left } }, text: 'Stopped.' }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

const STDERR = 2
