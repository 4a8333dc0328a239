import { readFileSync } from 'node:fs'

import type { BenchRun } from '../history.ts'

/** What `npm run capacity -- --measure` stored for docs/operating/capacity.md. A run of before that command had no time, machine and load. */
export const measuredRun = JSON.parse(readFileSync(new URL('measured.json', import.meta.url), 'utf8')) as Pick<BenchRun, 'measures'> &
  Partial<BenchRun>

export const measuredValues = measuredRun.measures
