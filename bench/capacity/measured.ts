import { readFileSync } from 'node:fs'

import type { BenchValue } from './costs.ts'

/** What `npm run bench -- costs --json` printed for docs/operating/capacity.md, which says on which machine. */
export const measuredValues: readonly BenchValue[] = (
  JSON.parse(readFileSync(new URL('measured.json', import.meta.url), 'utf8')) as { readonly measures: readonly BenchValue[] }
).measures
