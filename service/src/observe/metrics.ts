import { monitorEventLoopDelay } from 'node:perf_hooks'

import { makeCounter, makeGauge, makeHistogram } from './metric.ts'
import type { Metric } from './metric.ts'

/** One answered call, in words of our own tables. */
export interface CountedCall {
  readonly method: string
  readonly profile: string
  readonly code: number
  readonly reason: string
  readonly ms: number
}

export interface Metrics {
  countCall(call: CountedCall): void
  /** One deed at a merchant's endpoint, in words of our own tables. */
  countEndpoint(told: { readonly deed: string; readonly outcome: string }): void
  /** A call that met a limit which refuses, or in the shadow would have. */
  countLimit(reached: { readonly reason: string; readonly mode: string }): void
  /** The whole page of /metrics. */
  render(): string
  close(): void
}

/** What is asked for when the page is read: name, meaning, figure. */
export interface Asked {
  readonly name: string
  readonly meaning: string
  readonly read: () => number
}

/** The figures of this process. */
export function makeMetrics(asked: readonly Asked[]): Metrics {
  const calls = makeCounter('tessera_calls_total', 'Calls answered, by method, profile, code (0 for a result) and reason.')
  const spans = makeHistogram('tessera_call_seconds', 'How long calls took.', CALL_SECONDS)
  const endpoints = makeCounter('tessera_merchant_endpoint_total', "What merchants' endpoints said, by deed and outcome.")
  const limits = makeCounter(
    'tessera_limits_reached_total',
    'Calls that met a breaker, by reason and mode; in the shadow nobody was refused.',
  )
  const lag = monitorEventLoopDelay({ resolution: 20 })
  lag.enable()
  const page: Metric[] = [
    calls,
    spans,
    endpoints,
    limits,
    ...asked.map((one) => makeGauge(one.name, one.meaning, one.read)),
    ...ownMetrics(lag),
  ]
  return Object.freeze({
    countCall(call: CountedCall) {
      calls.add({ method: call.method, profile: call.profile, code: String(call.code), reason: call.reason })
      spans.observe({ method: call.method }, call.ms / 1000)
    },
    countEndpoint: ({ deed, outcome }: { deed: string; outcome: string }) => endpoints.add({ deed, outcome }),
    countLimit: ({ reason, mode }: { reason: string; mode: string }) => limits.add({ reason, mode }),
    render() {
      const text = page.map((metric) => metric.render()).join('')
      lag.reset()
      return text
    },
    close: () => void lag.disable(),
  })
}

type Lag = ReturnType<typeof monitorEventLoopDelay>

function ownMetrics(lag: Lag): Metric[] {
  return [
    makeGauge('tessera_event_loop_lag_seconds', 'Longest stall of the event loop since this page was last read.', () => lag.max / 1e9),
    makeGauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
    makeGauge('process_heap_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed),
    makeGauge('process_cpu_seconds_total', 'User and system CPU time.', cpuSeconds),
    makeGauge('process_start_time_seconds', 'When the process started, unix seconds.', () => performance.timeOrigin / 1000),
  ]
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
