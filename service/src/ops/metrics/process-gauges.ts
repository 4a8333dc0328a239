import { readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

import type { GaugeDefinition, GaugeSamples } from './metric.ts'

/** The gauges of the process, under the names of the Prometheus client libraries, and the stalls of its event loop. `close` ends their measurement. */
export function openProcessGauges(now: () => number = () => performance.now()): { gauges: GaugeDefinition[]; close: () => void } {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const lag = makeWindowMaximum({ read: () => delay.max / 1e9, reset: () => delay.reset(), now })
  const gauges: GaugeDefinition[] = [
    {
      name: 'tessera_event_loop_lag_seconds',
      help: 'Longest stall of the event loop in the last one to two minutes.',
      merge: 'max',
      read: lag,
    },
    { name: 'process_resident_memory_bytes', help: 'Resident memory.', read: () => process.memoryUsage.rss() },
    { name: 'process_heap_bytes', help: 'Heap in use.', merge: 'sum', read: () => process.memoryUsage().heapUsed },
    { name: 'process_cpu_seconds_total', help: 'User and system CPU time.', read: cpuSeconds },
    { name: 'process_start_time_seconds', help: 'When the process started, unix seconds.', read: () => performance.timeOrigin / 1000 },
    { name: 'process_open_fds', help: 'Open file descriptors, on Linux.', read: countDescriptors },
    { name: 'process_max_fds', help: 'Descriptors that the process may have open, on Linux.', read: readDescriptorLimit },
  ]
  return { gauges, close: () => void delay.disable() }
}

/** What a maximum over a window is made of. */
export interface WindowMaximumOptions {
  /** The maximum since `reset`. */
  readonly read: () => number
  readonly reset: () => void
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/**
 * A maximum over the last one to two minutes. It is the same for every reader: one that ends with each reading would show each of two Prometheus
 * servers half of the stalls.
 */
export function makeWindowMaximum({ read, reset, now }: WindowMaximumOptions): () => number {
  let previous = 0
  let startedAt = now()
  return () => {
    const elapsed = now() - startedAt
    const current = read()
    const maximum = Math.max(previous, current)
    if (elapsed < windowMs) return maximum
    previous = current
    startedAt += elapsed
    reset()
    return maximum
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Without /proc the gauge has no sample. */
function countDescriptors(): GaugeSamples {
  return readdirSync('/proc/self/fd').length
}

function readDescriptorLimit(): GaugeSamples {
  const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return soft === '' ? [] : Number(soft)
}

const windowMs = 60_000
