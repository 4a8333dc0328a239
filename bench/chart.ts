import * as Plot from '@observablehq/plot'

import type { BenchMachine, BenchRun } from './history.ts'
import { isTargetReached, isTargetUndecided, type Measure, type MeasureTarget } from './measurement.ts'
import { formatInterval, formatTarget, formatValue } from './table.ts'

/** jsdom has no types, so its name is a value, which the compiler does not resolve. Those of a document belong to browsers, and are not known here. */
const jsdom: string = 'jsdom'
const { JSDOM } = (await import(jsdom)) as { readonly JSDOM: new (html: string) => { readonly window: { readonly document: unknown } } }
const { document } = new JSDOM('').window

/** One measured value of a run. */
interface ChartPoint {
  readonly at: Date
  readonly run: BenchRun
  readonly measure: Measure
}

/** Everything that was measured of one thing, in the order of the runs. */
interface Series {
  readonly of: string
  readonly name: string
  readonly points: readonly ChartPoint[]
}

/**
 * One page with a chart and a table for each value that was ever measured, by machine: figures of different machines, or of a quick and a full run, are
 * not compared. No script, no request.
 */
export function formatChartPage(runs: readonly BenchRun[]): string {
  const sections = groupByMachine(runs).map(([machine, made]) => formatMachine(machine, made))
  const body = runs.length === 0 ? '<p>Nothing was measured yet: <code>npm run bench -- --save</code></p>' : sections.join('\n')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Tessera benchmarks</title>
<style>${style}</style></head>
<body><main><h1>Tessera benchmarks</h1>
<p>Each chart is one value of <code>npm run bench</code> over its runs; the dashed line is its target, a filled point reaches it, and an upright
line is the interval in which the median of ever more rounds would lie. Point at a value for its run. The runs
stand in their order, at equal distances, with the days of the first and the last one.</p>
${body}</main></body></html>
`
}

function formatMachine({ processor, cores, memoryGiB, system, node }: BenchMachine, runs: readonly BenchRun[]): string {
  const isQuick = runs[0]?.isQuick === true
  const title = `${processor}, ${String(cores)} cores, ${String(memoryGiB)} GiB${isQuick ? ', quick runs' : ''}`
  const count = `${String(runs.length)} ${runs.length === 1 ? 'run' : 'runs'}`
  const about = `${system}, Node ${node}; ${count}${isQuick ? ', whose values are rough' : ''}`
  const series = listSeries(runs)
  const groups = [...Map.groupBy(series, ({ of }) => of)].map(
    ([of, members]) => `<h3>${escapeHtml(of)}</h3><div class="charts">${members.map(formatSeries).join('\n')}</div>`,
  )
  return `<h2>${escapeHtml(title)}</h2><p>${escapeHtml(about)}</p>${formatMissed(series)}${groups.join('\n')}`
}

/** The values whose last run missed its target: what a reader of a hundred charts looks for. */
function formatMissed(series: readonly Series[]): string {
  const missed = series.filter(({ points }) => isMissed(points.at(-1)))
  if (missed.length === 0) return ''
  const items = missed.map(({ of, name, points }) => `<li>${escapeHtml(`${of}: ${name}, ${formatLast(points)}`)}</li>`)
  return `<p>Missed by the last run that measured them:</p><ul class="missed">${items.join('')}</ul>`
}

function isMissed(point: ChartPoint | undefined): boolean {
  return point !== undefined && isTargetReached(point.measure) === false
}

/** `0.83 ×, target ≥ 0.80, reached` of the last run. */
function formatLast(points: readonly ChartPoint[]): string {
  const measure = points.at(-1)?.measure
  if (measure === undefined) return ''
  const { value, unit, target } = measure
  const text = `${formatValue(value)} ${unit}`.trim()
  if (target === undefined) return text
  const verdict = isTargetReached(measure) === false ? 'missed' : 'reached'
  return `${text}, target ${formatTarget(target)}, ${verdict}${isTargetUndecided(measure) ? ', within the noise' : ''}`
}

/** Runs of one machine and one kind, in the order in which each was first used. */
function groupByMachine(runs: readonly BenchRun[]): [BenchMachine, BenchRun[]][] {
  const groups = new Map<string, [BenchMachine, BenchRun[]]>()
  for (const run of runs) {
    const key = JSON.stringify([run.machine, run.isQuick])
    const group = groups.get(key) ?? [run.machine, []]
    group[1].push(run)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function listSeries(runs: readonly BenchRun[]): Series[] {
  const series = new Map<string, { of: string; name: string; points: ChartPoint[] }>()
  for (const run of runs)
    for (const measure of run.measures) {
      const { of, name, unit } = measure
      // Beside another checkout a value has two units: its own, and its share of the other's.
      const key = JSON.stringify([of, name, unit])
      const known = series.get(key) ?? { of, name, points: [] }
      known.points.push({ at: new Date(run.at), run, measure })
      series.set(key, known)
    }
  return [...series.values()].filter(({ points }) => points.every(({ measure }) => Number.isFinite(measure.value)))
}

function formatSeries({ name, points }: Series): string {
  const last = points.at(-1)
  if (last === undefined) return ''
  const { unit, target } = last.measure
  const rows = points.map(({ run, measure }) => {
    const reached = isTargetReached(measure)
    const cells = [
      run.at.slice(0, 16).replace('T', ' '),
      run.commit ?? '',
      `${formatValue(measure.value)} ${measure.unit} ${formatInterval(measure)}`.trim(),
      reached === null ? '' : reached ? 'reached' : 'missed',
      formatValue(run.load),
    ]
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`
  })
  return `<figure${isMissed(last) ? ' class="missed"' : ''}><figcaption><b>${escapeHtml(name)}</b> ${escapeHtml(formatLast(points))}</figcaption>
${drawSeries(points, { unit, target })}
<details><summary>Values</summary><table><thead><tr><th>UTC</th><th>Commit</th><th>Value</th><th>Target</th><th>Load before</th></tr></thead><tbody>${rows.join('')}</tbody></table></details></figure>`
}

function drawSeries(
  points: readonly ChartPoint[],
  { unit, target }: { readonly unit: string; readonly target: MeasureTarget | undefined },
): string {
  const limit = target === undefined ? [] : ['least' in target ? target.least : target.most]
  const data = points.map(({ run, measure }, at) => ({
    at: at + 1,
    value: measure.value,
    low: measure.interval?.low ?? measure.value,
    high: measure.interval?.high ?? measure.value,
    isReached: isTargetReached(measure) !== false,
    title: `${formatValue(measure.value)} ${measure.unit}\n${run.at.slice(0, 16).replace('T', ' ')} UTC${run.commit === null ? '' : `, ${run.commit}`}`,
  }))
  const isAllZero = Math.max(...data.map(({ high }) => high), ...limit) === 0
  // The first and the last; one where they would be the same.
  const days = points.map(({ run }, at) => ({ at: at + 1, day: run.at.slice(0, 10) })).filter(({ at }) => at === 1 || at === points.length)
  const formatDay = (place: number): string => days.find(({ at }) => at === place)?.day ?? ''
  const svg: unknown = Plot.plot({
    document: document as never,
    width: 360,
    height: 192,
    marginLeft: 64,
    marginTop: 32,
    marginRight: 40,
    marginBottom: 28,
    style: { fontSize: '12px' },
    x: { label: null, ticks: days.map(({ at }) => at), tickSize: 0, tickFormat: formatDay, domain: [0.5, points.length + 0.5] },
    y: {
      label: unit === '' ? null : unit,
      grid: true,
      zero: true,
      nice: true,
      ticks: 4,
      tickFormat: formatValue,
      ...(isAllZero ? { domain: [0, 1] } : {}),
    },
    marks: [
      Plot.ruleY([0]),
      Plot.ruleY(limit, { strokeDasharray: '4 3' }),
      Plot.ruleX(data, { x: 'at', y1: 'low', y2: 'high' }),
      Plot.line(data, { x: 'at', y: 'value' }),
      Plot.dot(data, {
        x: 'at',
        y: 'value',
        r: 4,
        fill: (point: { isReached: boolean }) => (point.isReached ? 'currentColor' : 'var(--page)'),
        stroke: 'currentColor',
        title: 'title',
      }),
    ],
  })
  return (svg as { readonly outerHTML: string }).outerHTML
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${String(sign.charCodeAt(0))};`)
}

const style = `
:root { color-scheme: light dark; --page: #fff; --text: #1b1f24; --line: #d0d7de; --missed: #b35900 }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --text: #e6e8ea; --line: #3a4046; --missed: #f0a050 } }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 1200px; margin: 0 auto; padding: 24px 16px }
h2 { margin-top: 48px }
h3 { margin: 32px 0 12px }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 370px), 1fr)); gap: 16px }
figure { margin: 0; border: 1px solid var(--line); border-radius: 8px; padding: 12px; overflow-x: auto; display: flex; flex-direction: column }
figure.missed { border-color: var(--missed); border-inline-start-width: 4px }
figure svg { margin-top: auto }
figcaption { padding-bottom: 8px }
figcaption b { display: block }
ul.missed { margin: 0; padding-inline-start: 20px }
svg { max-width: 100%; height: auto; background: none !important; font-variant-numeric: tabular-nums }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }
td, th { padding: 2px 12px 2px 0; text-align: start }
`
