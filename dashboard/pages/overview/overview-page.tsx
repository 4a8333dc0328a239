import '../../app/common.ts'
import { useSignal } from '@preact/signals'
import { addDays, tashkentDay } from '@tessera/contract/calendar-day'
import type { Result } from '@tessera/contract/operations'

import { language, messages } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { dashboardPath } from '../../app/router.ts'
import { serviceNow } from '../../app/session-state.ts'
import { Chart } from '../../components/chart.tsx'
import { type RangeDays, RangePicker } from '../../components/fields.tsx'
import { QueryResult, EmptyState } from '../../components/query-result.tsx'
import { ReasonText } from '../../components/reason.tsx'
import { formatMs, formatSom, percentOf } from '../../format/numbers.ts'
import { formatDay, formatHour } from '../../format/time.ts'
import { useQuery } from '../../hooks/use-query.ts'
import type { ReasonMessages } from '../../messages/reason-messages.ts'
import { overviewPageText, reasonText } from '../../messages/page-texts.ts'

type OverviewData = Result<'dashboard.overview.get'>

/** Tokens, conversion, payments, declines and call latency of a period. */
export function OverviewPage() {
  const days = useSignal<RangeDays>(7)
  const to = tashkentDay(serviceNow())
  const query = useQuery('dashboard.overview.get', { from: addDays(to, 1 - days.value), to })
  const loading = useMessages(overviewPageText, reasonText)
  if (loading !== null) return loading
  return (
    <div class="overview">
      <div class="tools">
        <RangePicker days={days.value} onChange={(next) => (days.value = next)} />
      </div>
      <QueryResult query={query}>{(data) => <OverviewPanels data={data} />}</QueryResult>
    </div>
  )
}

function OverviewPanels({ data }: { data: OverviewData }) {
  const text = overviewPageText.current()
  const { total, steps } = data
  if (total.created + total.paid + total.refused + total.calls === 0) {
    return (
      <EmptyState {...text.none}>
        <p>
          <a href={dashboardPath('start')}>{text.toStart}</a>
        </p>
      </EmptyState>
    )
  }
  const writeMs = (ms: number): string => formatMs(ms, messages.value.ms)
  const shared = {
    steps: steps.map(({ at }) => (steps.length === 24 ? formatHour : formatDay)(at, language.value)),
    stepName: text.when,
    tableLabel: text.asTable,
  }
  const tokens = [
    { name: text.created, tone: 'main', values: steps.map(({ created }) => created) },
    { name: text.verified, tone: 'green', values: steps.map(({ verified }) => verified) },
  ] as const
  const payments = [
    { name: text.paid, tone: 'green', values: steps.map(({ paid }) => paid) },
    { name: text.declined, tone: 'red', values: steps.map(({ refused }) => refused) },
  ] as const
  const latency = [
    { name: text.median, tone: 'main', values: steps.map(({ p50Ms }) => p50Ms) },
    { name: text.p95, tone: 'amber', values: steps.map(({ p95Ms }) => p95Ms) },
  ] as const
  return (
    <>
      <ul class="totals">
        <Total name={text.tokens} value={String(total.created)} />
        <Total name={text.conversion} value={total.created === 0 ? '—' : `${String(percentOf(total.verified, total.created))} %`} />
        <Total name={text.payments} value={String(total.paid)} more={`${formatSom(total.paidTiyin)} ${messages.value.som}`} />
        <Total name={text.declined} value={String(total.refused)} />
        <Total name={text.p95} value={total.p95Ms === null ? '—' : writeMs(total.p95Ms)} />
      </ul>
      <div class="columns">
        <section class="panel">
          <h2>{text.tokens}</h2>
          <Chart {...shared} kind="bars" label={text.tokens} series={tokens} format={String} />
        </section>
        <section class="panel">
          <h2>{text.payments}</h2>
          <Chart {...shared} kind="bars" label={text.payments} series={payments} format={String} />
        </section>
        <section class="panel">
          <h2>{text.latency}</h2>
          <Chart {...shared} kind="lines" label={text.latency} series={latency} format={writeMs} />
        </section>
        <section class="panel">
          <h2>{text.declines}</h2>
          <Causes causes={data.declines} none={text.noDeclines} of="all" />
          <h3>{text.codesNotSent}</h3>
          <Causes causes={data.codesRefused} none={text.allCodesSent} of="code" />
          <a href={dashboardPath('verification')}>{text.toVerification}</a>
        </section>
      </div>
    </>
  )
}

function Total({ name, value, more }: { name: string; value: string; more?: string }) {
  return (
    <li class="panel">
      <span>{name}</span>
      <strong>{value}</strong>
      {more !== undefined && <small>{more}</small>}
    </li>
  )
}

interface CausesProps {
  readonly causes: OverviewData['declines']
  /** Shown instead of an empty list. */
  readonly none: string
  /** What failed: payments, or codes. */
  readonly of: keyof ReasonMessages
}

function Causes({ causes, none, of }: CausesProps) {
  const max = Math.max(1, ...causes.map(({ count }) => count))
  if (causes.length === 0) return <p class="none">{none}</p>
  return (
    <ul class="causes">
      {causes.map(({ reason, count }) => (
        <li key={reason}>
          <span>
            <ReasonText reason={reason} of={of} />
          </span>{' '}
          <strong>{count}</strong>
          <progress max={max} value={count} aria-hidden="true" />
        </li>
      ))}
    </ul>
  )
}
