import type { Result } from '@tessera/contract/operations'

import { dashboardPath } from '../../app/router.ts'
import { useClipboard } from '../../components/copy.tsx'
import { EmptyState } from '../../components/query-result.tsx'
import { EnglishCode } from '../../components/docs-link.tsx'
import { docsPath } from '../../components/docs-path.ts'
import { Tag, Time } from '../../components/values.tsx'
import { formatMessage } from '../../messages/lookup.ts'
import { pageCheckText } from '../../messages/page-texts.ts'

type CheckReport = Result<'dashboard.pageCheck.run'>

/** The findings of a check by rule, errors first: where, and what to do. */
export function PageCheckReport({ report }: { report: CheckReport }) {
  const text = pageCheckText.current()
  const { page, checkedAt, findings, rules, scripts, isTruncated, sarif } = report
  const errorRules = new Set(rules.filter(({ severity }) => severity === 'error').map(({ rule }) => rule))
  const errors = findings.filter(({ rule }) => errorRules.has(rule)).length
  const warnings = findings.length - errors
  return (
    <section class="report">
      <header>
        <h2>{text.report}</h2>
        <p>
          <strong>{page === 'pasted' ? text.pasted : page}</strong>
          <small>
            {text.checkedAt}: <Time at={checkedAt} />
          </small>
        </p>
        <p class="actions">
          {errors > 0 && <Tag tone="red">{`${text.errors}: ${String(errors)}`}</Tag>}
          {warnings > 0 && <Tag tone="amber">{`${text.warnings}: ${String(warnings)}`}</Tag>}
        </p>
        <div class="actions">
          <CopyAsButton label={text.copyJson} getText={() => JSON.stringify({ page, checkedAt, findings, rules }, null, 2)} />
          <CopyAsButton label={text.copySarif} getText={() => sarif} />
        </div>
      </header>
      {findings.length === 0 && <EmptyState {...text.clean} next="none" />}
      {isTruncated && <p role="status">{text.truncated}</p>}
      <ol>
        {rules.map(({ rule, severity, text: ruleText, advice, source }) => (
          <li key={rule} class="panel">
            <header>
              <h3>{advice}</h3>
              <Tag tone={severity === 'error' ? 'red' : 'amber'}>{text.severity[severity]}</Tag>
            </header>
            <p>
              {text.rule} {ruleText}
            </p>
            <ul>
              {findings
                .filter((finding) => finding.rule === rule)
                .map(({ line, column, shown }, index) => (
                  <li key={index}>
                    {line !== null && <small>{formatMessage(text.line, line, column ?? 1)}</small>} {shown !== '' && <code>{shown}</code>}
                  </li>
                ))}
            </ul>
            <small>
              <EnglishCode code={rule} href={docsPath.pageRule(rule)} /> {source}
            </small>
          </li>
        ))}
      </ol>
      <p>
        {scripts === 0 ? text.noScripts : formatMessage(text.scripts, scripts)}{' '}
        {scripts > 0 && <a href={dashboardPath('compliance/scripts')}>{text.toScripts}</a>}
      </p>
    </section>
  )
}

function CopyAsButton({ label, getText }: { label: string; getText: () => string }) {
  const { status, copy } = useClipboard(getText)
  return (
    <button type="button" onClick={() => void copy()}>
      <span aria-live="polite">{status.value ?? label}</span>
    </button>
  )
}
