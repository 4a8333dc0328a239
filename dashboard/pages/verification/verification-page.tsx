import '../../app/common.ts'
import type { DayPeriod } from '@tessera/contract/calendar-day'
import type { Result } from '@tessera/contract/operations'

import { formatCount, percentOf } from '../../format/numbers.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { dashboardPath, route } from '../../app/router.ts'
import { session } from '../../app/session-state.ts'
import { BarList } from '../../components/bar-list.tsx'
import { PeriodPicker } from '../../components/period-picker.tsx'
import { QueryResult } from '../../components/query-result.tsx'
import { type PeriodState, usePeriod } from '../../hooks/use-period.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { verificationPageText, reasonText } from '../../messages/page-texts.ts'
import { CodeList } from './code-list.tsx'
import { CodeStoryPage } from './code-story.tsx'
import { SmsInbox } from './sms-inbox.tsx'
import { noVerificationFilter, readVerificationFilter } from './verification-filter.ts'

/**
 * Where cardholders drop out and why: the outcomes of codes at /dashboard/verification with a funnel, the story of one code at
 * /dashboard/verification/<card id>/<request or message id>, and the SMS inbox of the test environment at /dashboard/verification/inbox.
 */
export function VerificationPage() {
  const loading = useMessages(verificationPageText, reasonText)
  if (loading !== null) return loading
  const text = verificationPageText.current()
  const [part, id] = route.value.rest
  if (part !== undefined && id !== undefined) return <CodeStoryPage key={`${part} ${id}`} cardId={part} id={id} />
  const isInbox = part === 'inbox'
  const isTest = session.value?.environment === 'test'
  return (
    <>
      {isTest && (
        <p class="tabs">
          <a href={dashboardPath('verification')} {...(isInbox ? {} : { 'aria-current': 'true' as const })}>
            {text.attempts}
          </a>
          <a href={dashboardPath('verification/inbox')} {...(isInbox ? { 'aria-current': 'true' as const } : {})}>
            {text.inbox}
          </a>
        </p>
      )}
      {isInbox && isTest ? <SmsInbox /> : <Attempts />}
    </>
  )
}

/** The funnel and the list are of the same days. */
function Attempts() {
  const state = usePeriod('last30')
  // A search for one code is about the list.
  const isSearched = JSON.stringify(readVerificationFilter(route.value)) !== JSON.stringify(noVerificationFilter)
  return (
    <>
      <PeriodPicker state={state} daysMax={daysMax} />
      {!isSearched && <Funnel state={state} />}
      <CodeList period={state.period} />
    </>
  )
}

function Funnel({ state }: { state: PeriodState }) {
  const text = verificationPageText.current()
  const query = useQuery('dashboard.verification.funnel', state.period)
  return (
    <section class="panel funnel" aria-labelledby="funnel">
      <h2 id="funnel">{text.funnel}</h2>
      <QueryResult query={query}>{(funnel) => <FunnelBars funnel={funnel} {...state.period} />}</QueryResult>
    </section>
  )
}

function FunnelBars({ funnel, from, to }: DayPeriod & { funnel: Result<'dashboard.verification.funnel'> }) {
  const text = verificationPageText.current()
  return (
    <>
      <BarList
        label={text.funnel}
        stepName={text.stage}
        tableLabel={text.asTable}
        valueName={text.cards}
        format={formatCount}
        tone="main"
        bars={stages.map((stage) => ({ name: text.stages[stage], value: funnel[stage] }))}
        pathOf={(stage) => {
          const outcome = outcomesOfStages[stage] ?? null
          return outcome === null ? null : `verification?from=${from}&to=${to}&outcome=${outcome}`
        }}
        shareOf={(index) => (index === 0 || funnel.created === 0 ? null : percentOf(funnel[stages[index] ?? 'created'], funnel.created))}
      />
      <small>{funnel.isComplete ? text.funnelText : formatMessage(text.funnelPartial, funnel.created)}</small>
    </>
  )
}

const stages = ['created', 'sent', 'verified', 'paid'] as const
const outcomesOfStages = [null, 'sent', 'verified', null] as const
/** As the service accepts. */
const daysMax = 366
