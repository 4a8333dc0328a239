import '../../app/common.ts'
import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { language } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { navigate, dashboardPath, route } from '../../app/router.ts'
import { call } from '../../app/api.ts'
import { hasRole } from '../../app/session-state.ts'
import { Snippet } from '../../components/copy.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { QueryResult, EmptyState } from '../../components/query-result.tsx'
import { Time } from '../../components/values.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { pageCheckText } from '../../messages/page-texts.ts'
import { CheckForm } from './check-form.tsx'
import { formCheckCommand } from './page-source.ts'
import { PageCheckReport } from './page-report.tsx'

type PageCheckRow = Result<'dashboard.pageCheck.list'>['checks'][number]

/** Checks the source of a merchant's page, shows the latest report of each page, and gives the command for a check in a real browser. */
export function PageCheckPage() {
  const query = useQuery('dashboard.pageCheck.list', {})
  const loading = useMessages(pageCheckText)
  if (loading !== null) return loading
  return <QueryResult query={query}>{({ checks }) => <PageCheckPanels checks={checks} onReload={query.refetch} />}</QueryResult>
}

function PageCheckPanels({ checks, onReload }: { checks: readonly PageCheckRow[]; onReload: () => void }) {
  const text = pageCheckText.current()
  const checkCount = useSignal(0)
  const page = route.value.query.get('page') ?? checks[0]?.page ?? null
  const onChecked = (checkedPage: string): void => {
    checkCount.value++
    onReload()
    // A check takes a while, and the user may have left this page.
    if (route.peek().page === 'page-check') navigate(`page-check?page=${encodeURIComponent(checkedPage)}`, { replace: true })
  }
  return (
    <div class="page-check">
      <p>{text.about}</p>
      {hasRole('developer') ? <CheckForm initialUrl={checks[0]?.page ?? ''} onChecked={onChecked} /> : <p>{text.onlyDevelopers}</p>}
      {page === null ? <EmptyState {...text.none} next="none" /> : <StoredReport key={`${page} ${String(checkCount.value)}`} page={page} />}
      {checks.length > 0 && <LatestChecks checks={checks} page={page} onReload={onReload} />}
      <section class="panel">
        <h2>{text.live}</h2>
        <p>{text.liveText}</p>
        <Snippet label="tessera" text={formCheckCommand(page)} />
      </section>
    </div>
  )
}

function StoredReport({ page }: { page: string }) {
  const query = useQuery('dashboard.pageCheck.get', { page, locale: language.value })
  const text = pageCheckText.current()
  return (
    <QueryResult query={query}>
      {({ report }) => (report === null ? <EmptyState {...text.none} next="none" /> : <PageCheckReport report={report} />)}
    </QueryResult>
  )
}

/** What reading the page again found, and what differed while nobody has checked it since. */
function WatchedState({ watch: { state, readAt, changes } }: { watch: NonNullable<PageCheckRow['watch']> }) {
  const text = pageCheckText.current()
  return (
    <>
      {text.watchStates[state]} {readAt !== null && <Time at={readAt} />}
      {changes.length > 0 && (
        <ul>
          {changes.map(({ what, change, name }) => (
            <li key={`${what} ${change} ${name}`}>
              {text.changedParts[what]} {text.changeWords[change]} <code>{name}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

interface LatestChecksProps {
  readonly checks: readonly PageCheckRow[]
  readonly page: string | null
  readonly onReload: () => void
}

/** The latest check of each page. The one that is shown is marked. */
function LatestChecks({ checks, page, onReload }: LatestChecksProps) {
  const text = pageCheckText.current()
  const stopping = useSignal<string | null>(null)
  return (
    <section>
      <h2>{text.latestChecks}</h2>
      <div class="table" tabIndex={0} role="region" aria-label={text.latestChecks}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.page}</th>
              <th scope="col">{text.checkedAt}</th>
              <th scope="col">{text.readAgain}</th>
              <th scope="col" class="number">
                {text.errors}
              </th>
              <th scope="col" class="number">
                {text.warnings}
              </th>
            </tr>
          </thead>
          <tbody>
            {checks.map((check) => (
              <tr key={check.page}>
                <td>
                  <a
                    href={`${dashboardPath('page-check')}?page=${encodeURIComponent(check.page)}`}
                    {...(check.page === page ? { 'aria-current': 'true' as const } : {})}
                  >
                    {check.page === 'pasted' ? text.pasted : check.page}
                  </a>
                </td>
                <td>
                  <Time at={check.checkedAt} />
                </td>
                <td>
                  {check.watch === null ? (
                    '—'
                  ) : (
                    <>
                      <WatchedState watch={check.watch} />
                      {hasRole('developer') && (
                        <button
                          type="button"
                          class="quiet"
                          aria-label={`${text.stopWatching}: ${check.page}`}
                          onClick={() => (stopping.value = check.page)}
                        >
                          {text.stopWatching}
                        </button>
                      )}
                    </>
                  )}
                </td>
                <td class="number">{check.errors}</td>
                <td class="number">{check.warnings}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {stopping.value !== null && (
        <ConfirmDialog
          title={text.stopWatching}
          text={`${stopping.value} — ${text.stopWatchingText}`}
          confirmLabel={text.stopWatching}
          onConfirm={async () => {
            await call('dashboard.pageCheck.stopWatching', { page: stopping.peek() ?? '' })
            onReload()
          }}
          onClose={() => (stopping.value = null)}
        />
      )}
    </section>
  )
}
