import type { Trial } from './experiment.ts'
import type { ProcessUsage } from './process-usage.ts'
import { largest, median, theilSenSlope } from './statistics.ts'

/** One interval of a soak. */
export interface SoakSample extends ProcessUsage {
  readonly seconds: number
  readonly calls: number
  readonly p99Ms: number
  /** Memory after a full collection, MiB; null where none was made. */
  readonly liveMib: number | null
  /** Cards and receipts in the store; null where they were not counted. */
  readonly objects: number | null
}

/** What may grow in the time that is judged, however long it is. */
export const bounds = { rssMib: 24, liveMib: 12, growthShare: 0.1, descriptors: 5, p99Ratio: 2, p99NoiseMs: 10 } as const

/** Of SQLite: journal_size_limit in `connectWriter`, with room for one batch. Of PostgreSQL: twice its default max_wal_size, which is a soft limit. */
const maxWalMib: Readonly<Record<StoreKind, number>> = { sqlite: 80, postgres: 2048 }
type StoreKind = Trial['store']

/**
 * A fifth of the run is warm-up, and five minutes at least, in which caches fill and V8's heap gets its size; of a run that is too short for that,
 * half.
 */
export function planPhases(seconds: number): { warmUpSeconds: number; everySeconds: number; liveEverySamples: number } {
  const everySeconds = Math.max(minSampleSeconds, seconds / 60)
  const samples = Math.floor(seconds / everySeconds)
  return {
    warmUpSeconds: Math.max(seconds / 5, Math.min(warmUpSecondsMin, seconds / 2)),
    everySeconds,
    liveEverySamples: Math.max(1, Math.floor(samples / 20)),
  }
}

/** What is beyond the bounds. */
export function judgeSamples(samples: readonly SoakSample[], store: StoreKind): string[] {
  return listTrends(samples, store).flatMap(({ complaint }) => complaint ?? [])
}

/** The trends as metrics, and in words, each with its bound. */
export function describeTrends(samples: readonly SoakSample[], store: StoreKind): { metrics: Record<string, number>; notes: string[] } {
  const trends = listTrends(samples, store)
  return {
    metrics: {
      ...Object.fromEntries(trends.flatMap(({ metrics }) => Object.entries(metrics))),
      rss_mib_most: largest(samples.map(({ rssMib }) => rssMib)),
      judged_seconds: spanOf(judgedPartOf(samples)),
    },
    notes: trends.map(({ note }) => note),
  }
}

interface Trend {
  readonly note: string
  readonly metrics: Readonly<Record<string, number>>
  readonly complaint?: string
}

function listTrends(all: readonly SoakSample[], store: StoreKind): Trend[] {
  const samples = judgedPartOf(all)
  return [judgeRss(samples), judgeLive(samples), judgeDescriptors(samples), judgeWal(samples, store), judgeP99(samples)]
}

/** The samples after the warm-up. */
function judgedPartOf(all: readonly SoakSample[]): readonly SoakSample[] {
  const { warmUpSeconds } = planPhases(all.at(-1)?.seconds ?? 0)
  return all.filter(({ seconds }) => seconds > warmUpSeconds)
}

/**
 * Resident memory. In the first minutes it grows without a leak: V8 gives its heaps a size, and SQLite's page cache of the thread that writes
 * fills to its 64 MiB as the database grows. A short run says nothing about it.
 */
function judgeRss(all: readonly SoakSample[]): Trend {
  const samples = all.filter(({ seconds }) => seconds > rssWarmUpSeconds)
  const growth = growthOf(samples.map(({ seconds, rssMib }) => [seconds, rssMib]))
  const bound = Math.max(bounds.rssMib, median(samples.map(({ rssMib }) => rssMib)) * bounds.growthShare) + versionsMib(samples)
  if (spanOf(samples) < rssSecondsMin)
    return { note: 'memory: not judged, since a run of less than half an hour is mostly warm-up', metrics: {} }
  const complaint = `memory grew by ${growth.by.toFixed(1)} MiB, and the bound is ${bound.toFixed(1)}`
  const metrics = { rss_mib_growth: growth.by, rss_mib_an_hour: growth.anHour }
  return { note: `memory: ${growth.text} MiB (bound ${bound.toFixed(1)})`, metrics, ...(growth.by <= bound ? {} : { complaint }) }
}

/**
 * How much the table of the newest versions may have grown (docs/decisions/0037-freshness.md): it takes 24 bytes an object, and 48 when it has just
 * been doubled.
 */
function versionsMib(samples: readonly SoakSample[]): number {
  const counts = samples.flatMap(({ objects }) => objects ?? [])
  return Math.max(0, 48 * (counts.at(-1) ?? 0) - 24 * (counts[0] ?? 0)) / 2 ** 20
}

/** Memory of the main thread after a full collection: what a leak cannot hide from, in a short run too. */
function judgeLive(samples: readonly SoakSample[]): Trend {
  const points = samples.flatMap(({ seconds, liveMib }): Point[] => (liveMib === null ? [] : [[seconds, liveMib]]))
  const growth = growthOf(points)
  const bound = Math.max(bounds.liveMib, median(points.map(([, liveMib]) => liveMib)) * bounds.growthShare) + versionsMib(samples)
  const complaint = `live memory grew by ${growth.by.toFixed(1)} MiB, and the bound is ${bound.toFixed(1)}`
  return {
    note: `live memory: ${growth.text} MiB (bound ${bound.toFixed(1)})`,
    metrics: { live_mib_growth: growth.by, live_mib_an_hour: growth.anHour },
    ...(growth.by <= bound ? {} : { complaint }),
  }
}

function judgeDescriptors(samples: readonly SoakSample[]): Trend {
  const growth = growthOf(samples.map(({ seconds, descriptors }) => [seconds, descriptors]))
  const complaint = `descriptors grew by ${growth.by.toFixed(1)}, and the bound is ${bounds.descriptors}`
  return {
    note: `descriptors: ${growth.text} (bound ${bounds.descriptors})`,
    metrics: { descriptors_growth: growth.by },
    ...(growth.by <= bounds.descriptors ? {} : { complaint }),
  }
}

function judgeWal(samples: readonly SoakSample[], store: StoreKind): Trend {
  const most = largest(samples.map(({ walMib }) => walMib))
  const growth = growthOf(samples.map(({ seconds, walMib }) => [seconds, walMib]))
  const complaint = `the write-ahead log had ${most.toFixed(0)} MiB, and the bound is ${maxWalMib[store]}`
  return {
    note: `write-ahead log: ${growth.text} MiB, ${most.toFixed(1)} at most (bound ${maxWalMib[store]})`,
    metrics: { wal_mib_most: most },
    ...(most <= maxWalMib[store] ? {} : { complaint }),
  }
}

/** Medians of the first and the last third. */
function judgeP99(samples: readonly SoakSample[]): Trend {
  const values = samples.map(({ p99Ms }) => p99Ms)
  const length = Math.max(1, Math.floor(values.length / 3))
  const [first, last] = [median(values.slice(0, length)), median(values.slice(-length))]
  const bound = first * bounds.p99Ratio + bounds.p99NoiseMs
  const complaint = `p99 went from ${first.toFixed(1)} to ${last.toFixed(1)} ms, and the bound is ${bound.toFixed(1)}`
  return {
    note: `p99: median of the first third ${first.toFixed(1)} ms, of the last ${last.toFixed(1)} (bound ${bound.toFixed(1)})`,
    metrics: { p99_ms_first: first, p99_ms_last: last },
    ...(last <= bound ? {} : { complaint }),
  }
}

type Point = readonly [seconds: number, value: number]

/** Growth by the median of the slopes between any two points, which single outliers do not move. */
function growthOf(points: readonly Point[]): { by: number; anHour: number; text: string } {
  const perSecond = theilSenSlope(points)
  const by = perSecond * ((points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0))
  const [first, last] = [points[0]?.[1] ?? NaN, points.at(-1)?.[1] ?? NaN]
  const sign = by < 0 ? '' : '+'
  return { by, anHour: perSecond * 3600, text: `${first.toFixed(1)} to ${last.toFixed(1)}, trend ${sign}${by.toFixed(1)}` }
}

function spanOf(samples: readonly SoakSample[]): number {
  return (samples.at(-1)?.seconds ?? 0) - (samples[0]?.seconds ?? 0)
}

const minSampleSeconds = 3
const warmUpSecondsMin = 300
const rssWarmUpSeconds = 720
/** The shortest time over which resident memory is judged. */
const rssSecondsMin = 1020
