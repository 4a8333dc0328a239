// Preloaded into a service: watches its event loop, and on SIGUSR2 writes what it saw into a file and begins anew.
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import type { Stalls } from './stall-words.ts'

/** The watch itself sleeps this long, which is in every value. */
const resolutionMs = 1
const file = process.env['BENCH_STALLS_FILE']

if (isMainThread && file !== undefined) watch(file)

function watch(path: string): void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  // A thread that waits for a processor stands still too; its own work between two ticks is what the service is to blame for.
  let longestWorkMs = 0
  let before = process.threadCpuUsage()
  const tick = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longestWorkMs = Math.max(longestWorkMs, (user + system) / 1000)
  }, resolutionMs)
  tick.unref()
  process.on('SIGUSR2', () => {
    const stalls: Stalls = { longestMs: delay.max / 1e6 - resolutionMs, longestWorkMs, p999Ms: delay.percentile(99.9) / 1e6 - resolutionMs }
    writeFileSync(path, JSON.stringify(stalls))
    delay.reset()
    longestWorkMs = 0
  })
}
