import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { dashboardPath } from '../../app/router.ts'
import { hasRole } from '../../app/session-state.ts'
import { QueryResult, EmptyState } from '../../components/query-result.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { DownloadButton } from '../../export/download-button.tsx'
import { downloadCsv, toIsoTime } from '../../format/csv.ts'
import type { ApiQuery } from '../../hooks/use-query.ts'
import { compliancePageText } from '../../messages/page-texts.ts'
import { compareByUrgency, scriptState } from './script-state.ts'
import { ScriptReviewDialog, type ScriptEntry } from './script-review.tsx'

type ScriptInventory = Result<'dashboard.scripts.list'>

/** The script inventory of PCI DSS 6.4.3: every script found by a page check, who authorized it, and why. */
export function ScriptsSection({ query }: { query: ApiQuery<ScriptInventory> }) {
  const text = compliancePageText.current()
  const reviewed = useSignal<ScriptEntry | null>(null)
  return (
    <section>
      <h2>{text.sections.scripts}</h2>
      <p>{text.scriptsAbout}</p>
      <QueryResult query={query}>
        {({ scripts }) =>
          scripts.length === 0 ? (
            <EmptyState {...text.emptyScripts}>
              <a href={dashboardPath('page-check')}>{text.toPageCheck}</a>
            </EmptyState>
          ) : (
            <>
              <ul class="list panel scripts">
                {scripts.toSorted(compareByUrgency).map((script) => (
                  <ScriptItem key={script.scriptId} script={script} onReview={() => (reviewed.value = script)} />
                ))}
              </ul>
              <p class="actions">
                <DownloadButton label={text.csv} list="scripts" format="csv" rows={scripts.length} onSave={() => save(scripts)} />
              </p>
            </>
          )
        }
      </QueryResult>
      {reviewed.value !== null && (
        <ScriptReviewDialog script={reviewed.value} onClose={() => (reviewed.value = null)} onDone={query.refetch} />
      )}
    </section>
  )
}

function ScriptItem({ script, onReview }: { script: ScriptEntry; onReview: () => void }) {
  const text = compliancePageText.current()
  const { address, page, party, integrity, reason, reviewedBy, reviewedAt, firstAt, lastAt } = script
  const { tone, name } = scriptState(script)
  return (
    <li>
      <div>
        <code>{address}</code>
        <small>
          {text.onPage} {page === 'pasted' ? text.pasted : page}
        </small>
        <span class="tags">
          <Tag tone={tone}>{text.reviewStates[name]}</Tag>
          <Tag tone="grey">{text.party[party]}</Tag>
          {party === 'third' && integrity === '' && <Tag tone="amber">{text.noIntegrity}</Tag>}
        </span>
        {reason !== '' && (
          <p>
            {reason}
            <small>
              {reviewedBy ?? '—'}, {reviewedAt !== null && <Time at={reviewedAt} />}
            </small>
          </p>
        )}
        <small>
          {text.first}: <Time at={firstAt} /> · {text.last}: <Time at={lastAt} />
        </small>
      </div>
      {hasRole('developer') && (
        <button type="button" onClick={onReview}>
          {text.review} <span class="visually-hidden">{address}</span>
        </button>
      )}
    </li>
  )
}

function save(scripts: readonly ScriptEntry[]): void {
  const head = [
    'page',
    'address',
    'party',
    'fingerprint',
    'integrity',
    'decision',
    'isChanged',
    'isGone',
    'reason',
    'reviewedBy',
    'reviewedAt',
  ]
  const rows = scripts.map((script) => [
    script.page,
    script.address,
    script.party,
    script.fingerprint,
    script.integrity,
    script.decision,
    String(script.isChanged),
    String(script.isGone),
    script.reason,
    script.reviewedBy,
    toIsoTime(script.reviewedAt),
    toIsoTime(script.firstAt),
    toIsoTime(script.lastAt),
  ])
  downloadCsv('scripts.csv', [...head, 'firstAt', 'lastAt'], rows)
}
