import { withTimeout, type Clock } from '../../clock.ts'

/** A metric family in the Prometheus text format 0.0.4. */
export interface Metric {
  render(): string | Promise<string>
}

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
    render: () =>
      family(
        name,
        'counter',
        help,
        [...counts].map(([labels, { count }]) => `${name}${braced(labels)} ${String(count)}`),
      ),
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
    render: () =>
      family(
        name,
        'histogram',
        help,
        [...series].flatMap(([labels, held]) => histogramLines(name, labels, held, bounds)),
      ),
  })
}

/** Reads a gauge when the page is rendered. One that cannot be read, or not within a second, is left out, so that the others are still seen. */
export function makeGauge({ name, help, read }: GaugeDefinition, clock: Pick<Clock, 'sleep'>): Metric {
  return Object.freeze({
    render: async () => {
      const samples = await readInTime(read, clock)
      if (samples === null) return ''
      const lines = typeof samples === 'number' ? [`${name} ${String(samples)}`] : samples.map((sample) => gaugeLine(name, sample))
      return family(name, name.endsWith('_total') ? 'counter' : 'gauge', help, lines)
    },
  })
}

async function readInTime(read: GaugeDefinition['read'], clock: Pick<Clock, 'sleep'>): Promise<GaugeSamples | null> {
  try {
    return await withTimeout<GaugeSamples | null>({ clock, timeoutMs: readTimeoutMs }, null, async () => read())
  } catch {
    return null
  }
}

function gaugeLine(name: string, { labels, value }: GaugeSample): string {
  return `${name}${braced(formatLabels(labels))} ${String(value)}`
}

function histogramLines(name: string, labels: string, held: { buckets: number[]; sum: number }, bounds: readonly number[]): string[] {
  let total = 0
  const lines = held.buckets.map((count, i) => {
    total += count
    const bound = `le="${i < bounds.length ? String(bounds[i]) : '+Inf'}"`
    return `${name}_bucket${braced(labels === '' ? bound : `${labels},${bound}`)} ${String(total)}`
  })
  return [...lines, `${name}_sum${braced(labels)} ${String(held.sum)}`, `${name}_count${braced(labels)} ${String(total)}`]
}

function family(name: string, kind: string, help: string, lines: readonly string[]): string {
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
