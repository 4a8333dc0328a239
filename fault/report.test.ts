import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExperimentResult } from './experiment.ts'
import { formatReport, isHeld, type Report } from './report.ts'

const result: ExperimentResult = {
  acknowledged: 120,
  lost: 0,
  cycles: 5,
  complaints: [],
  control: { what: 'planted', isFound: true, details: '3 of 9 lost' },
  metrics: { start_ms_median: 412, share: 0.256 },
}
const report: Report = { experiment: 'kill9', store: 'sqlite', verdict: 'held', seed: 7, seconds: 3.4, result }

test('a report is one line, always in the same form', () => {
  const line =
    'held    kill9 sqlite · acknowledged 120 · lost 0 · cycles 5 · start_ms_median 412 · share 0.26 · control found (planted: 3 of 9 lost) · seed 7 · 3 s'
  assert.equal(formatReport(report), line)
})

test('an experiment held when something was acknowledged, nothing was lost, there is no complaint, and its control was found', () => {
  assert.equal(isHeld(result), true)
  const worse: Partial<ExperimentResult>[] = [{ lost: 1 }, { acknowledged: 0 }, { cycles: 0 }, { complaints: ['strange'] }]
  for (const one of worse) assert.equal(isHeld({ ...result, ...one }), false, JSON.stringify(one))
  assert.equal(isHeld({ ...result, control: { ...result.control, isFound: false } }), false)
})

test('complaints follow on lines of their own, and a missing requirement is named', () => {
  const failed = formatReport({ ...report, verdict: 'failed', result: { ...result, complaints: ['one', 'two'] } })
  assert.deepEqual(failed.split('\n').slice(1), ['  ✖ one', '  ✖ two'])
  const missing = formatReport({ experiment: 'clock', store: 'sqlite', verdict: 'missing', seed: 7, seconds: 0, missing: ['faketime'] })
  assert.equal(missing, 'missing clock sqlite · not run: faketime')
})
