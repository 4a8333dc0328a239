import * as Plot from '@observablehq/plot'

import type { BenchMachine, BenchRun } from './history.ts'
import { isTargetReached, type Measure, type MeasureTarget } from './measurement.ts'
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
line is the interval in which the median of ever more rounds would lie. Point at a value for its run. The horizontal
axis is the order of the runs.</p>
${body}</main></body></html>
`
}

function formatMachine({ processor, cores, memoryGiB, system, node }: BenchMachine, runs: readonly BenchRun[]): string {
  const title = `${processor}, ${String(cores)} cores, ${String(memoryGiB)} GiB`
  const charts = listSeries(runs).map(formatSeries)
  const kind = runs[0]?.isQuick === true ? ', quick runs: rough values' : ''
  return `<h2>${escapeHtml(title)}</h2><p>${escapeHtml(`${system}, Node ${node}; ${String(runs.length)} runs${kind}`)}</p><div class="charts">${charts.join('\n')}</div>`
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
      const { of, name } = measure
      const known = series.get(`${of} ${name}`) ?? { of, name, points: [] }
      known.points.push({ at: new Date(run.at), run, measure })
      series.set(`${of} ${name}`, known)
    }
  return [...series.values()].filter(({ points }) => points.every(({ measure }) => Number.isFinite(measure.value)))
}

function formatSeries({ of, name, points }: Series): string {
  const last = points.at(-1)
  if (last === undefined) return ''
  const { unit, target } = last.measure
  const caption = `${of}: ${name}`
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
  return `<figure><figcaption><b>${escapeHtml(caption)}</b> ${escapeHtml(`${formatValue(last.measure.value)} ${unit}${target === undefined ? '' : `, target ${formatTarget(target)}`}`)}</figcaption>
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
  const svg: unknown = Plot.plot({
    document: document as never,
    width: 360,
    height: 180,
    marginLeft: 56,
    x: { label: null, ticks: [], domain: [0.5, Math.max(points.length, 2) + 0.5] },
    y: { label: unit, grid: true, zero: true, nice: true, ticks: 4, tickFormat: formatValue },
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
:root { color-scheme: light dark; --page: #fff; --text: #1b1f24; --line: #d0d7de }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --text: #e6e8ea; --line: #3a4046 } }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 1200px; margin: 0 auto; padding: 24px 16px }
h2 { margin-top: 40px }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 370px), 1fr)); gap: 24px 16px }
figure { margin: 0; border: 1px solid var(--line); border-radius: 8px; padding: 12px; overflow-x: auto }
figcaption b { display: block }
svg { max-width: 100%; height: auto; background: none !important; font-variant-numeric: tabular-nums }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }
td, th { padding: 2px 12px 2px 0; text-align: start }
`
