import { formatSarifReport } from '@tessera/form-check/report'

import type { PageReport } from './page-check.ts'

/** The report as SARIF 2.1.0 (OASIS), the same as the command-line tool prints. */
export function writeSarif({ page, findings }: PageReport): string {
  const placed = findings.map((finding) => ({ ...finding, path: page, half: 'source' as const, selector: null }))
  return JSON.stringify(formatSarifReport({ target: page, pages: [page], live: null, findings: placed, scripts: [], notes: [] }), null, 2)
}
