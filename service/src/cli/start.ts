import { startService } from '../main.ts'
import { makeLog } from '../observe/log.ts'
import { openLogSink } from '../observe/sink.ts'
import { makeSystemClock } from '../system-clock.ts'

import { printBanner } from './banner.ts'
import type { Asked, Outcome } from './command.ts'
import { switchCoreDumpsOff } from '../start/core-dumps.ts'
import { takeOver } from './signals.ts'

/** `tessera start`: takes the process over, opens the service, and stays until a signal. */
export async function runStart(asked: Asked): Promise<Outcome> {
  const { config } = asked.settings()
  process.umask(0o077)
  const sink = openLogSink(STDERR)
  const clock = makeSystemClock()
  const log = makeLog(config.logLevel, sink, clock.now)
  const { stopping, endNow } = takeOver(log, sink, clock)
  try {
    const service = await startService({ config, log, clock, stopping, endNow, coreDumps: switchCoreDumpsOff() })
    asked.print(asked.json ? `${JSON.stringify({ ready: service.facts })}\n` : printBanner(service.facts))
    await aborted(stopping)
    return { exit: 'done', facts: { stopped: { callsCutOff: await service.stop() } }, text: 'Stopped.' }
  } finally {
    sink.flush()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

const STDERR = 2
