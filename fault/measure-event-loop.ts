// Preloaded into a service: measures the delays of its event loop, and on SIGUSR2 writes them to a file and starts again. On SIGWINCH it blocks the loop
// itself, so that a measurement can show that it sees that.
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { delaysFileVariable, plantedStallMs, type EventLoopDelays } from './measured-delays.ts'

/** The measurement itself sleeps this long, which is part of every value. */
const resolutionMs = 1
const file = process.env[delaysFileVariable]

if (isMainThread && file !== undefined) watch(file)

function watch(path: string): void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  // A thread that waits for a processor is delayed too. Its own work between two ticks is what the service is responsible for.
  let longestWorkMs = 0
  let before = process.threadCpuUsage()
  const tick = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longestWorkMs = Math.max(longestWorkMs, (user + system) / 1000)
  }, resolutionMs)
  tick.unref()
  process.on('SIGWINCH', blockLoop)
  process.on('SIGUSR2', () => {
    const stalls: EventLoopDelays = {
      longestMs: delay.max / 1e6 - resolutionMs,
      longestWorkMs,
      p999Ms: delay.percentile(99.9) / 1e6 - resolutionMs,
    }
    writeFileSync(path, JSON.stringify(stalls))
    delay.reset()
    longestWorkMs = 0
  })
}

/** By the thread's own CPU time, so that it is as long on a busy machine. */
function blockLoop(): void {
  const before = process.threadCpuUsage()
  for (let usedMs = 0; usedMs < plantedStallMs;) {
    const { user, system } = process.threadCpuUsage(before)
    usedMs = (user + system) / 1000
  }
}
