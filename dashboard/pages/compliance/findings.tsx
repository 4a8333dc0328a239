import type { Result } from '@tessera/contract/methods'

import { pathOf } from '../../app/router.ts'
import { Copy } from '../../parts/copy.tsx'
import { downloadCsv, momentOf } from '../../parts/download.ts'
import { Empty } from '../../parts/empty.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { complianceText } from './compliance-text.ts'

type Finding = Result<'dashboard.compliance.get'>['findings'][number]

/** What the service saw the merchant's own code do wrong, a kind each: how often, when, and what to do. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  const text = complianceText.now()
  return (
    <section>
      <h2 id="findings" tabIndex={-1}>
        {text.parts.findings}
      </h2>
      <p>{text.findingsAbout}</p>
      {findings.length === 0 ? (
        <Empty {...text.noFindings} />
      ) : (
        <>
          <ul class="findings">
            {findings.map((finding) => (
              <Shown key={`${finding.kind} ${finding.seenBy}`} finding={finding} />
            ))}
          </ul>
          <p class="deeds">
            <button type="button" onClick={() => save(findings)}>
              {text.csv}
            </button>
          </p>
        </>
      )}
    </section>
  )
}

function Shown({ finding: { kind, seenBy, count, firstAt, lastAt, method, origin, requestId } }: { finding: Finding }) {
  const text = complianceText.now()
  const { title, todo } = text.findings[kind]
  return (
    <li class="panel">
      <header>
        <h3>{title}</h3>
        <Tag tone={seenBy === 'server' ? 'red' : 'amber'}>{text.seenBy[seenBy]}</Tag>
      </header>
      <p>{todo}</p>
      {kind === 'password_in_browser' && <a href={pathOf('settings')}>{text.toSettings}</a>}
      {seenBy === 'browser' && <small>{text.anybody}</small>}
      <dl>
        <dt>{text.howOften}</dt>
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
          <Copy text={requestId} />
        </dd>
      </dl>
    </li>
  )
}

function save(findings: readonly Finding[]): void {
  const head = ['kind', 'seenBy', 'count', 'firstAt', 'lastAt', 'method', 'origin', 'requestId']
  const rows = findings.map(({ kind, seenBy, count, firstAt, lastAt, method, origin, requestId }) => [
    ...[kind, seenBy, count, momentOf(firstAt), momentOf(lastAt), method, origin, requestId],
  ])
  downloadCsv('findings.csv', head, rows)
}
