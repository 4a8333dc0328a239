import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'

import { formatChartPage } from './chart.ts'
import { appendRun, beginRun, readRuns, type BenchRun } from './history.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-history-'))
after(() => rmSync(folder, { recursive: true }))

const first: BenchRun = {
  at: '2026-11-01T10:00:00.000Z',
  commit: 'abcdefabcdef',
  machine: { processor: 'A <processor>', cores: 2, memoryGiB: 24, system: 'linux 6.1', node: 'v24.0.0' },
  load: 0.1,
  isQuick: false,
  measures: [
    { of: 'check sqlite', name: 'to the floor', value: 0.75, unit: '×', target: { least: 0.8 } },
    { of: 'SDK', name: 'gzip', value: 3583, unit: 'bytes', target: { most: 3584 } },
    { of: 'check sqlite', name: 'rate', value: 15_600, unit: 'calls/s' },
  ],
}

test('a history of runs is read as it was written, and a line that is none is named', () => {
  const file = pathToFileURL(join(folder, 'history.jsonl'))
  assert.deepEqual(readRuns(file), [])
  const now = { ...beginRun(true), measures: first.measures }
  for (const run of [first, now]) appendRun(run, file)
  assert.deepEqual(readRuns(file), [first, now])
  assert.match(now.machine.node, /^v\d+/)
  appendRun({ ...first, measures: [{ of: 'x', name: 'ratio', value: 2 / 3, unit: '×' }] }, file)
  assert.equal(readRuns(file)[2]?.measures[0]?.value, 0.666667)
  appendFileSync(file, '{"at":1}\n')
  assert.throws(() => readRuns(file), /line 4 is no run: it has no time, machine or measures/)
})

test('the charts show each value with its target, and runs of other machines apart', () => {
  const second = {
    ...first,
    at: '2026-11-02T10:00:00.000Z',
    commit: null,
    measures: first.measures.map((each) => ({ ...each, value: each.value * 1.1 })),
  }
  const other = { ...first, machine: { ...first.machine, cores: 8 } }
  const page = formatChartPage([first, second, other])
  assert.equal(page.match(/<h2>/g)?.length, 2)
  assert.equal(page.match(/<svg /g)?.length, 6)
  assert.equal(page.match(/<circle /g)?.length, 9)
  assert.match(page, /<h3>check sqlite<\/h3>.*<b>to the floor<\/b> 0\.83 ×, target ≥ 0\.80, reached</)
  assert.match(page, /<td>3,583 bytes<\/td><td>reached<\/td>.*<td>3,941 bytes<\/td><td>missed<\/td>/)
  assert.doesNotMatch(page, /<script|A <processor>|src=|href="http/)
})

test('the interval of the rounds is drawn, and stands in the table of values', () => {
  const interval = { low: 0.7, high: 0.9, confidence: 0.9609375, rounds: 9 }
  const page = formatChartPage([{ ...first, measures: first.measures.map((each) => (each.unit === '×' ? { ...each, interval } : each)) }])
  assert.match(page, /<td>0\.75 × 0\.70 to 0\.90 \(96 %, 9 rounds\)<\/td><td>missed<\/td>/)
  const countUpright = (text: string): number =>
    [...text.matchAll(/<line x1="([^"]*)" x2="([^"]*)" y1="([^"]*)" y2="([^"]*)"/g)].filter(([, x, toX, y, toY]) => x === toX && y !== toY)
      .length
  assert.deepEqual([countUpright(page), countUpright(formatChartPage([first]))], [1, 0])
})

test('a value with two units, its own and its share of another checkout, is two charts', () => {
  const rate = { of: 'check sqlite', name: 'rate', value: 1.02, unit: 'of the other' }
  const page = formatChartPage([{ ...first, measures: [...first.measures, rate] }])
  assert.equal(page.match(/<svg /g)?.length, 4)
  assert.match(page, /<b>rate<\/b> 15,600 calls\/s<.*<b>rate<\/b> 1\.02 of the other</s)
})

test('what the last run has missed is listed first, and a value that is always 0 has an axis', () => {
  const none = { of: 'load', name: 'failed', value: 0, unit: '', target: { most: 0 } }
  const page = formatChartPage([{ ...first, measures: [...first.measures, none] }])
  assert.match(page, /<ul class="missed"><li>check sqlite: to the floor, 0\.75 ×, target ≥ 0\.80, missed<\/li><\/ul>/)
  assert.match(page, /<b>failed<\/b> 0, target ≤ 0, reached</)
  assert.doesNotMatch(page, /NaN|undefined/)
})

test('without a run the page says how one is made', () => {
  assert.match(formatChartPage([]), /npm run bench -- --save/)
})
