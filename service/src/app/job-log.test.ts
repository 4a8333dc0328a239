import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeJobLog } from './job-log.ts'

test('the first failure of a job is written, another error, and one a minute, with what was left out, and then that the job works again; every run is counted', () => {
  let monotonicMs = 0
  const lines: unknown[] = []
  const write = (event: string, fields: object = {}): unknown => lines.push([event, fields])
  const runs: string[] = []
  const metrics = { countJobRun: ({ name, outcome }: { name: string; outcome: string }): unknown => runs.push(`${name} ${outcome}`) }
  const clock = { moment: () => ({ wallMs: 0, monotonicMs, bootId: '' }) }
  const jobLog = makeJobLog('events_delivered', { log: { info: write, error: write }, clock, metrics })
  const [away, full] = [new Error('the database is away'), new Error('the disk is full')]
  jobLog.succeeded()
  for (let i = 0; i < 4; i++) jobLog.failed(away)
  jobLog.failed(full)
  monotonicMs = 59_999
  jobLog.failed(full)
  monotonicMs = 60_000
  jobLog.failed(full)
  jobLog.succeeded()
  jobLog.succeeded()
  jobLog.failed(full)
  const job = 'events_delivered'
  assert.deepEqual(lines, [
    ['job_failed', { job, err: away }],
    ['job_failed', { job, err: full, suppressed: 3 }],
    ['job_failed', { job, err: full, suppressed: 1 }],
    ['job_recovered', { job, count: 7 }],
    ['job_failed', { job, err: full }],
  ])
  assert.deepEqual(runs.slice(0, 2), [`${job} succeeded`, `${job} failed`])
  assert.deepEqual([runs.length, runs.filter((run) => run === `${job} failed`).length], [11, 8])
})
