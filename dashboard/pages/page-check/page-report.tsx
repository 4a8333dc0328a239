import type { Result } from '@tessera/contract/methods'

import { fill } from '../../app/long-words.tsx'
import { pathOf } from '../../app/router.ts'
import { useCopied } from '../../parts/copied.ts'
import { Empty } from '../../parts/empty.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { pageCheckText } from './page-check-text.ts'

type Report = Result<'dashboard.pageCheck.run'>

/** What breaks a rule, rule by rule, grave ones first: where it stands, and what to do. */
export function PageReport({ report }: { report: Report }) {
  const text = pageCheckText.now()
  const { page, checkedAt, findings, rules, scripts, isCut, sarif } = report
  const grave = new Set(rules.filter(({ severity }) => severity === 'error').map(({ rule }) => rule))
  const errors = findings.filter(({ rule }) => grave.has(rule)).length
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
        <p class="deeds">
          {errors > 0 && <Tag tone="red">{`${text.errors}: ${String(errors)}`}</Tag>}
          {warnings > 0 && <Tag tone="amber">{`${text.warnings}: ${String(warnings)}`}</Tag>}
        </p>
        <div class="deeds">
          <CopyAs label={text.copyJson} write={() => JSON.stringify({ page, checkedAt, findings, rules }, null, 2)} />
          <CopyAs label={text.copySarif} write={() => sarif} />
        </div>
      </header>
      {findings.length === 0 && <Empty {...text.clean} />}
      {isCut && <p role="status">{text.cut}</p>}
      <ol>
        {rules.map(({ rule, severity, text: said, advice, source }) => (
          <li key={rule} class="panel">
            <header>
              <h3>{advice}</h3>
              <Tag tone={severity === 'error' ? 'red' : 'amber'}>{text.severity[severity]}</Tag>
            </header>
            <p>
              {text.rule} {said}
            </p>
            <ul>
              {findings
                .filter((finding) => finding.rule === rule)
                .map(({ line, column, shown }, at) => (
                  <li key={at}>
                    {line !== null && <small>{fill(text.line, line, column ?? 1)}</small>} {shown !== '' && <code>{shown}</code>}
                  </li>
                ))}
            </ul>
            <small>
              <code>{rule}</code> · {source}
            </small>
          </li>
        ))}
      </ol>
      <p>
        {scripts === 0 ? text.noScripts : fill(text.scripts, scripts)} {scripts > 0 && <a href={pathOf('compliance')}>{text.toScripts}</a>}
      </p>
    </section>
  )
}

function CopyAs({ label, write }: { label: string; write: () => string }) {
  const { said, copy } = useCopied(write)
  return (
    <button type="button" onClick={() => void copy()}>
      <span aria-live="polite">{said.value ?? label}</span>
    </button>
  )
}
