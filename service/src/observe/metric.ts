/** A family of figures in the Prometheus text format 0.0.4. */
export interface Metric {
  render(): string
}

export interface Counter extends Metric {
  add(labels: Labels): void
}

export interface Histogram extends Metric {
  /** `value` in the unit that the name ends with. */
  observe(labels: Labels, value: number): void
}

/** Label values come from fixed tables of ours, never from a request, so that the number of series has an end. */
export type Labels = Readonly<Record<string, string>>

/** Counts how often something happened. */
export function makeCounter(name: string, meaning: string): Counter {
  const counts = new Map<string, number>()
  return Object.freeze({
    add(labels: Labels) {
      const series = written(labels)
      const count = counts.get(series)
      if (count !== undefined || counts.size < SERIES_MAX) counts.set(series, (count ?? 0) + 1)
    },
    render: () =>
      family(
        name,
        'counter',
        meaning,
        [...counts].map(([labels, count]) => `${name}${braced(labels)} ${String(count)}`),
      ),
  })
}

/** Counts values by size; `bounds` are the upper ends of its buckets, rising. */
export function makeHistogram(name: string, meaning: string, bounds: readonly number[]): Histogram {
  const series = new Map<string, { buckets: number[]; sum: number }>()
  return Object.freeze({
    observe(labels: Labels, value: number) {
      const key = written(labels)
      let held = series.get(key)
      if (held === undefined) {
        if (series.size >= SERIES_MAX) return
        held = { buckets: new Array<number>(bounds.length + 1).fill(0), sum: 0 }
        series.set(key, held)
      }
      let bucket = 0
      while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++
      held.buckets[bucket] = (held.buckets[bucket] ?? 0) + 1
      held.sum += value
    },
    render: () =>
      family(
        name,
        'histogram',
        meaning,
        [...series].flatMap(([labels, held]) => histogramLines(name, labels, held, bounds)),
      ),
  })
}

/** A figure that is asked for when it is read; one that only rises has a name that ends with `_total`. */
export function makeGauge(name: string, meaning: string, read: () => number): Metric {
  return Object.freeze({
    render: () => family(name, name.endsWith('_total') ? 'counter' : 'gauge', meaning, [`${name} ${String(read())}`]),
  })
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

function family(name: string, kind: string, meaning: string, lines: readonly string[]): string {
  return [`# HELP ${name} ${meaning}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n')
}

function written(labels: Labels): string {
  let text = ''
  for (const name of Object.keys(labels)) text += `${text === '' ? '' : ','}${name}="${clean(labels[name] ?? '')}"`
  return text
}

function clean(value: string): string {
  return NOT_CLEAN.test(value) ? value.replaceAll(NOT_CLEAN_ALL, '_') : value
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

/** More series than our tables can make; beyond it new ones are not counted. */
const SERIES_MAX = 2000
const NOT_CLEAN = /[\\"\n]/
const NOT_CLEAN_ALL = /[\\"\n]/g
