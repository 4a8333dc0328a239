import type { Result } from '@tessera/contract/operations'

import { dashboardPath } from '../../app/router.ts'
import { CopyButton } from '../../components/copy.tsx'
import { EmptyState } from '../../components/query-result.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { DownloadButton } from '../../export/download-button.tsx'
import { downloadCsv, toIsoTime } from '../../format/csv.ts'
import { compliancePageText } from '../../messages/page-texts.ts'

type Finding = Result<'dashboard.compliance.get'>['findings'][number]

/** What the merchant's own code was seen doing wrong: how often, when, and what to do about it. */
export function FindingsSection({ findings }: { findings: readonly Finding[] }) {
  const text = compliancePageText.current()
  return (
    <section>
      <h2>{text.sections.findings}</h2>
      <p>{text.findingsAbout}</p>
      {findings.length === 0 ? (
        <EmptyState {...text.noFindings} next="none" />
      ) : (
        <>
          <ul class="findings">
            {findings.map((finding) => (
              <FindingItem key={`${finding.kind} ${finding.seenBy}`} finding={finding} />
            ))}
          </ul>
          <p class="actions">
            <DownloadButton label={text.csv} list="findings" format="csv" rows={findings.length} onSave={() => save(findings)} />
          </p>
        </>
      )}
    </section>
  )
}

function FindingItem({ finding: { kind, seenBy, count, firstAt, lastAt, method, origin, requestId } }: { finding: Finding }) {
  const text = compliancePageText.current()
  const { title, todo } = text.findings[kind]
  return (
    <li class="panel">
      <header>
        <h3>{title}</h3>
        <Tag tone={seenBy === 'server' ? 'red' : 'amber'}>{text.seenBy[seenBy]}</Tag>
      </header>
      <p>{todo}</p>
      {kind === 'password_in_browser' && <a href={dashboardPath('settings/api-keys')}>{text.toSettings}</a>}
      {seenBy === 'browser' && <small>{text.anyCaller}</small>}
      <dl>
        <dt>{text.count}</dt>
        <dd>{count}</dd>
        <dt>{text.first}</dt>
        <dd>
          <Time at={firstAt} />
        </dd>
        <dt>{text.last}</dt>
        <dd>
          <Time at={lastAt} />
        </dd>
        <dt>{text.where}</dt>
        <dd>
          <code>{method === '' ? '—' : method}</code> {origin !== '' && <code>{origin}</code>}
        </dd>
        <dt>{text.request}</dt>
        <dd>
          <CopyButton text={requestId} />
        </dd>
      </dl>
    </li>
  )
}

function save(findings: readonly Finding[]): void {
  const head = ['kind', 'seenBy', 'count', 'firstAt', 'lastAt', 'method', 'origin', 'requestId']
  const rows = findings.map(({ kind, seenBy, count, firstAt, lastAt, method, origin, requestId }) => [
    kind,
    seenBy,
    count,
    toIsoTime(firstAt),
    toIsoTime(lastAt),
    method,
    origin,
    requestId,
  ])
  downloadCsv('findings.csv', head, rows)
}
