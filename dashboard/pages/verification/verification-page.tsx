import '../../app/common.ts'
import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { toExportConditions } from '../../app/export-conditions.ts'
import type { ExportSource } from '../../app/export-jobs.ts'
import { formatCount, percentOf } from '../../format/numbers.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { dashboardPath, route } from '../../app/router.ts'
import { session } from '../../app/session-state.ts'
import { BarList } from '../../components/bar-list.tsx'
import { ExportButtons } from '../../components/export-buttons.tsx'
import { PeriodPicker } from '../../components/period-picker.tsx'
import { exportPageRows, listExport } from '../../components/list-export.ts'
import { QueryResult, EmptyState } from '../../components/query-result.tsx'
import { ReasonText } from '../../components/reason.tsx'
import { type TableColumn, DataTable } from '../../components/table.tsx'
import { Tag, Time, type Tone } from '../../components/values.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { usePeriod } from '../../hooks/use-period.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { verificationPageText, reasonText } from '../../messages/page-texts.ts'
import { SmsInbox } from './sms-inbox.tsx'

type VerificationAttempt = Result<'dashboard.verification.list'>['attempts'][number]

/** Where cardholders drop out and why: a funnel, the failures with their causes, and the SMS inbox of the test environment. */
export function VerificationPage() {
  const loading = useMessages(verificationPageText, reasonText)
  if (loading !== null) return loading
  const text = verificationPageText.current()
  const isInbox = route.value.rest[0] === 'inbox'
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
      {isInbox && isTest ? <SmsInbox /> : <AttemptList />}
    </>
  )
}

function AttemptList() {
  const text = verificationPageText.current()
  const isFailed = useSignal(route.value.query.get('failed') === '1')
  const list = usePagedList(`codes ${String(isFailed.value)}`, async (after) => {
    const { attempts, next } = await call('dashboard.verification.list', { after, failed: isFailed.value })
    return { rows: attempts, next }
  })
  return (
    <>
      <Funnel />
      <div class="list-head">
        <label class="check">
          <input type="checkbox" checked={isFailed.value} onChange={() => (isFailed.value = !isFailed.value)} />
          {text.failedOnly}
        </label>
        <ExportButtons source={attemptExport(isFailed.value)} />
      </div>
      <DataTable
        label={text.attempts}
        list={list}
        columns={columns()}
        keyOf={({ requestId, what, at }) => `${requestId} ${what} ${String(at)}`}
        empty={isFailed.value ? <EmptyState {...text.noFailures} next="none" /> : <EmptyState {...text.none} />}
      />
    </>
  )
}

function Funnel() {
  const text = verificationPageText.current()
  const state = usePeriod('last7')
  const query = useQuery('dashboard.verification.funnel', state.period)
  return (
    <section class="panel funnel" aria-labelledby="funnel">
      <h2 id="funnel">{text.funnel}</h2>
      <PeriodPicker state={state} daysMax={daysMax} />
      <QueryResult query={query}>{(funnel) => <FunnelBars funnel={funnel} />}</QueryResult>
    </section>
  )
}

function FunnelBars({ funnel }: { funnel: Result<'dashboard.verification.funnel'> }) {
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
        shareOf={(index) => (index === 0 || funnel.created === 0 ? null : percentOf(funnel[stages[index] ?? 'created'], funnel.created))}
      />
      <small>{funnel.isComplete ? text.funnelText : formatMessage(text.funnelPartial, funnel.created)}</small>
    </>
  )
}

/** As the service accepts. */
const daysMax = 366

function attemptExport(failed: boolean): ExportSource {
  const text = verificationPageText.current()
  const { code, all } = reasonText.current()
  return listExport<VerificationAttempt>({
    name: 'verification',
    title: text.attempts,
    list: 'verification',
    conditions: toExportConditions({ failed }),
    columns: [
      { name: text.card, value: ({ number, cardId }) => number ?? cardId },
      { name: text.outcome, value: ({ what }) => text.outcomes[what] },
      { name: text.cause, value: ({ cause }) => (cause === null ? null : (code[cause] ?? all[cause] ?? cause)) },
      { name: text.at, kind: 'time', value: ({ at }) => at },
    ],
    fetchPage: async (after) => {
      const { attempts, next } = await call('dashboard.verification.list', { after, failed, count: exportPageRows })
      return { rows: attempts, next }
    },
  })
}

const stages = ['created', 'sent', 'verified', 'paid'] as const

function columns(): TableColumn<VerificationAttempt>[] {
  const text = verificationPageText.current()
  return [
    { name: text.card, render: ({ cardId, number }) => <a href={dashboardPath(`cards/${cardId}`)}>{number ?? cardId}</a> },
    {
      name: text.outcome,
      render: ({ what, cause }) => (
        <>
          <Tag tone={tones[what]}>{text.outcomes[what]}</Tag>
          {cause !== null && (
            <div>
              <ReasonText reason={cause} of="code" isBrief />
            </div>
          )}
        </>
      ),
    },
    { name: text.at, render: ({ at }) => <Time at={at} isShort /> },
  ]
}

const tones: Readonly<Record<VerificationAttempt['what'], Tone>> = {
  sent: 'blue',
  not_sent: 'red',
  wrong: 'amber',
  refused: 'red',
  verified: 'green',
}
