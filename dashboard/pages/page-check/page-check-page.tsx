import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { useAsk } from '../../app/ask.ts'
import { language } from '../../app/language.ts'
import { go, pathOf, place } from '../../app/router.ts'
import { may } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { Time } from '../../parts/time.tsx'
import { CheckForm } from './check-form.tsx'
import { pageCheckText } from './page-check-text.ts'
import { PageReport } from './page-report.tsx'
import './page-check.css'

type Checks = Result<'dashboard.pageCheck.list'>['checks']

/** Checks a page of the merchant's by its source, shows the last report of each, and gives the command for the rest. */
export function PageCheckPage() {
  const text = pageCheckText.use()
  const checks = useAsk('dashboard.pageCheck.list', {})
  if (text === null) return pageCheckText.show()
  return <Answer asked={checks}>{({ checks: all }) => <Checked all={all} onAgain={checks.again} />}</Answer>
}

function Checked({ all, onAgain }: { all: Checks; onAgain: () => void }) {
  const text = pageCheckText.now()
  const checkedTimes = useSignal(0)
  const page = place.value.query.get('page') ?? all[0]?.page ?? null
  const onChecked = (checked: string): void => {
    checkedTimes.value++
    onAgain()
    // It took a while, and whoever asked may be on another page by now.
    if (place.peek().page === 'page-check') go(`page-check?page=${encodeURIComponent(checked)}`, { replace: true })
  }
  return (
    <div class="page-check">
      <p>{text.about}</p>
      {may('developer') ? <CheckForm first={all[0]?.page ?? ''} onChecked={onChecked} /> : <p>{text.onlyDevelopers}</p>}
      {page === null ? <Empty {...text.none} /> : <Kept key={`${page} ${String(checkedTimes.value)}`} page={page} />}
      {all.length > 1 && <Last checks={all} page={page} />}
      <section class="panel">
        <h2>{text.live}</h2>
        <p>{text.liveText}</p>
        <Snippet label="tessera" text={commandOf(page)} />
      </section>
    </div>
  )
}

function Kept({ page }: { page: string }) {
  const asked = useAsk('dashboard.pageCheck.get', { page, locale: language.value })
  const text = pageCheckText.now()
  return <Answer asked={asked}>{({ report }) => (report === null ? <Empty {...text.none} /> : <PageReport report={report} />)}</Answer>
}

/** A report a page; the one that is shown is marked. */
function Last({ checks, page }: { checks: Checks; page: string | null }) {
  const text = pageCheckText.now()
  return (
    <section>
      <h2>{text.last}</h2>
      <div class="table" tabIndex={0} role="region" aria-label={text.last}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.page}</th>
              <th scope="col">{text.checkedAt}</th>
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
                    href={`${pathOf('page-check')}?page=${encodeURIComponent(check.page)}`}
                    {...(check.page === page ? { 'aria-current': 'true' as const } : {})}
                  >
                    {check.page === 'pasted' ? text.pasted : check.page}
                  </a>
                </td>
                <td>
                  <Time at={check.checkedAt} />
                </td>
                <td class="number">{check.errors}</td>
                <td class="number">{check.warnings}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** With quotes that a shell takes as they are: an address holds none of them. */
function commandOf(page: string | null): string {
  const address = page === null || page === 'pasted' ? 'https://shop.example/pay' : page
  return `tessera form-check '${address.replaceAll("'", '%27')}'\ntessera form-check '${address.replaceAll("'", '%27')}' --sarif > form-check.sarif`
}
