import { withTimeout, type Clock } from '../../clock.ts'

/** A metric that can be read. */
export interface Metric {
  /** Null for a gauge that cannot be read. */
  collect(): MetricFamily | null | Promise<MetricFamily | null>
}

/** A metric and its values, as the Prometheus text format 0.0.4 has them. */
export interface MetricFamily {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** How the values of several workers become one. */
  readonly merge: MetricMerge
  /** A line's name with its labels, and its value. */
  readonly samples: readonly (readonly [series: string, value: number])[]
}

/** `first`: the first worker's value is that of the whole service, such as the size of the store. */
export type MetricMerge = 'sum' | 'max' | 'first'

export interface Counter extends Metric {
  add(labels: Labels): void
  /** `add` for always the same labels, which are formatted once. */
  seriesOf(labels: Labels): () => void
}

export interface Histogram extends Metric {
  /** `value` in the unit that the name ends with. */
  observe(labels: Labels, value: number): void
  /** `observe` for always the same labels, which are formatted once. */
  seriesOf(labels: Labels): (value: number) => void
}

/** A metric that is read when the page is. */
export interface GaugeDefinition {
  readonly name: string
  readonly help: string
  /** One value, or a sample for each set of labels. A name that ends with `_total` is a counter. */
  readonly read: () => GaugeSamples | Promise<GaugeSamples>
  /** How the values of several workers become one. Default: `first`, and the other workers do not read it. */
  readonly merge?: MetricMerge
}

export type GaugeSamples = number | readonly GaugeSample[]

export interface GaugeSample {
  readonly labels: Labels
  readonly value: number
}

/** Label values come from fixed tables of ours, never from a request, so that the number of series is bounded. */
export type Labels = Readonly<Record<string, string>>

/** Counts how often something happened. The series of `initial` begin at 0, so that `increase()` sees their first event; others begin with it. */
export function makeCounter(name: string, help: string, initial: readonly Labels[] = []): Counter {
  const counts = new Map<string, { count: number }>()
  const seriesOf = (labels: Labels): (() => void) => {
    const key = formatLabels(labels)
    const cell = counts.get(key) ?? { count: 0 }
    if (counts.size >= SERIES_MAX && !counts.has(key)) return () => undefined
    counts.set(key, cell)
    return () => {
      cell.count++
    }
  }
  initial.forEach(seriesOf)
  return Object.freeze({
    add: (labels: Labels) => seriesOf(labels)(),
    seriesOf,
    collect: (): MetricFamily => ({
      name,
      help,
      kind: 'counter',
      merge: 'sum',
      samples: [...counts].map(([labels, { count }]) => [`${name}${braced(labels)}`, count]),
    }),
  })
}

/** Counts values by size; `bounds` are the upper ends of its buckets, rising. */
export function makeHistogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const series = new Map<string, { buckets: number[]; sum: number }>()
  const seriesOf = (labels: Labels): ((value: number) => void) => {
    const key = formatLabels(labels)
    const held = series.get(key) ?? { buckets: new Array<number>(bounds.length + 1).fill(0), sum: 0 }
    if (series.size >= SERIES_MAX && !series.has(key)) return () => undefined
    series.set(key, held)
    return (value) => {
      let bucket = 0
      while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++
      held.buckets[bucket] = (held.buckets[bucket] ?? 0) + 1
      held.sum += value
    }
  }
  return Object.freeze({
    observe: (labels: Labels, value: number) => seriesOf(labels)(value),
    seriesOf,
    collect: (): MetricFamily => ({
      name,
      help,
      kind: 'histogram',
      merge: 'sum',
      samples: [...series].flatMap(([labels, held]) => histogramSamples(name, labels, held, bounds)),
    }),
  })
}

/** Reads a gauge when the page is rendered. One that cannot be read, or not within a second, is left out, so that the others are still seen. */
export function makeGauge({ name, help, read, merge = 'first' }: GaugeDefinition, clock: Pick<Clock, 'sleep'>): Metric {
  return Object.freeze({
    collect: async (): Promise<MetricFamily | null> => {
      const found = await readInTime(read, clock)
      if (found === null) return null
      const samples = (typeof found === 'number' ? [{ labels: {}, value: found }] : found).map(gaugeSample)
      return { name, help, kind: name.endsWith('_total') ? 'counter' : 'gauge', merge, samples }
    },
  })

  function gaugeSample({ labels, value }: GaugeSample): readonly [string, number] {
    return [`${name}${braced(formatLabels(labels))}`, value]
  }
}

/** The page of /metrics. */
export function formatMetrics(families: readonly MetricFamily[]): string {
  return families.map(formatFamily).join('')
}

/**
 * The metrics of the first worker, with those of the others added to them as each says. Series that only others have come behind.
 */
export function mergeMetrics(first: readonly MetricFamily[], others: readonly (readonly MetricFamily[])[]): MetricFamily[] {
  const merged = new Map(first.map((family) => [family.name, { ...family, samples: new Map(family.samples) }]))
  for (const family of others.flat()) {
    if (family.merge === 'first') continue
    const { samples } = merged.get(family.name) ?? { samples: new Map<string, number>() }
    if (!merged.has(family.name)) merged.set(family.name, { ...family, samples })
    for (const [series, value] of family.samples) {
      const before = samples.get(series)
      samples.set(series, before === undefined ? value : family.merge === 'sum' ? before + value : Math.max(before, value))
    }
  }
  return [...merged.values()].map((family) => ({ ...family, samples: [...family.samples] }))
}

async function readInTime(read: GaugeDefinition['read'], clock: Pick<Clock, 'sleep'>): Promise<GaugeSamples | null> {
  try {
    return await withTimeout<GaugeSamples | null>({ clock, timeoutMs: readTimeoutMs }, null, async () => read())
  } catch {
    return null
  }
}

function histogramSamples(
  name: string,
  labels: string,
  held: { buckets: number[]; sum: number },
  bounds: readonly number[],
): (readonly [string, number])[] {
  let total = 0
  const buckets = held.buckets.map((count, i) => {
    total += count
    const bound = `le="${i < bounds.length ? String(bounds[i]) : '+Inf'}"`
    return [`${name}_bucket${braced(labels === '' ? bound : `${labels},${bound}`)}`, total] as const
  })
  return [...buckets, [`${name}_sum${braced(labels)}`, held.sum], [`${name}_count${braced(labels)}`, total]]
}

function formatFamily({ name, kind, help, samples }: MetricFamily): string {
  const lines = samples.map(([series, value]) => `${series} ${String(value)}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n')
}

function formatLabels(labels: Labels): string {
  let text = ''
  for (const name of Object.keys(labels)) text += `${text === '' ? '' : ','}${name}="${escapeLabel(labels[name] ?? '')}"`
  return text
}

function escapeLabel(value: string): string {
  return NOT_CLEAN.test(value) ? value.replaceAll(NOT_CLEAN_ALL, '_') : value
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

const readTimeoutMs = 1000
/** More series than our tables can make; beyond it new ones are not counted. */
const SERIES_MAX = 2000
const NOT_CLEAN = /[\\"\n]/
const NOT_CLEAN_ALL = /[\\"\n]/g
