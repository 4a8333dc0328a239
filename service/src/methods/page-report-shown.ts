import type { Language } from '@tessera/contract/profile'
import type { Result } from '@tessera/contract/methods'

import type { PageReport } from '../page-check/page-check.ts'
import { tellRules } from '../page-check/rule-words.ts'
import { writeSarif } from '../page-check/sarif.ts'

/** A report with the rules that it names, in one language. */
export function showReport(report: PageReport, language: Language): Result<'dashboard.pageCheck.run'> {
  const { page, checkedAt, findings, scripts, isCut } = report
  return {
    ...{ page, checkedAt, scripts, isCut },
    findings: findings.map(({ rule, line, column, shown }) => ({ rule, line, column, shown })),
    rules: tellRules(new Set(findings.map(({ rule }) => rule)), language),
    sarif: writeSarif(report),
  }
}
