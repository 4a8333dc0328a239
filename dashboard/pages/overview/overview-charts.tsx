import type { DayPeriod } from '@tessera/contract/calendar-day'

import { language, messages } from '../../app/language.ts'
import { dashboardPath } from '../../app/router.ts'
import { BarList } from '../../components/bar-list.tsx'
import type { ChartSeries } from '../../components/chart-frame.tsx'
import { Chart } from '../../components/chart.tsx'
import { formatCount, formatMs, formatShort, formatSom, percentOf } from '../../format/numbers.ts'
import { formatDate, formatDay, formatHour } from '../../format/time.ts'
import { formatMessage } from '../../messages/lookup.ts'
import type { ReasonMessages } from '../../messages/reason-messages.ts'
import { overviewPageText, reasonText } from '../../messages/page-texts.ts'
import type { OverviewData } from './overview-data.ts'
import { dayOfStep, overviewLinks } from './overview-links.ts'

/** The period as charts: money and payments over time, from card to payment, why not, and how long calls took. */
export function OverviewCharts({ data, period }: { data: OverviewData; period: DayPeriod }) {
  const text = overviewPageText.current()
  const { steps, before } = data
  const isHourly = steps.length === 24
  const onDay = (path: (days: DayPeriod) => string) => (step: number) => path(dayOfStep(steps[step]?.at ?? 0))
  const named = {
    steps: steps.map(({ at }) =>
      isHourly ? `${formatDay(at, language.value)}, ${formatHour(at, language.value)}` : formatDate(at, language.value),
    ),
    stepLabels: steps.map(({ at }) => (isHourly ? formatHour : formatDay)(at, language.value)),
    stepName: text.when,
    tableLabel: text.asTable,
  }
  const counts = { ...named, format: formatCount, formatTick: (value: number) => formatShort(value, text.units, language.value) }
  const som = (tiyin: number): string => `${formatSom(tiyin, language.value)}\u00a0${messages.value.som}`
  const ms = (value: number): string => formatMs(value, messages.value.ms)
  const earlier = { name: text.before, tone: 'faint', values: before.steps.map(({ paidTiyin }) => paidTiyin), isBefore: true } as const
  const money: ChartSeries[] = [
    { name: text.paidMoney, tone: 'main', values: steps.map(({ paidTiyin }) => paidTiyin) },
    { name: text.refundedMoney, tone: 'amber', values: steps.map(({ refundedTiyin }) => refundedTiyin) },
    ...(before.total.paidTiyin === 0 ? [] : [earlier]),
  ]
  const payments = [
    { name: text.paid, tone: 'green', values: steps.map(({ paid }) => paid) },
    { name: text.declined, tone: 'red', values: steps.map(({ refused }) => refused) },
  ] as const
  const tokens = [
    { name: text.created, tone: 'main', values: steps.map(({ created }) => created) },
    { name: text.verified, tone: 'green', values: steps.map(({ verified }) => verified) },
  ] as const
  const latency = [
    { name: text.median, tone: 'main', values: steps.map(({ p50Ms }) => p50Ms) },
    { name: text.p95, tone: 'amber', values: steps.map(({ p95Ms }) => p95Ms) },
  ] as const
  return (
    <>
      <section class="panel">
        <h2>{text.moneyTitle}</h2>
        <Chart
          {...named}
          kind="bars"
          label={text.moneyTitle}
          series={money}
          format={som}
          formatTick={(tiyin) => formatShort(tiyin / 100, text.units, language.value)}
          pathOf={onDay(overviewLinks.paid)}
        />
      </section>
      <div class="columns">
        <section class="panel">
          <h2>{text.payments}</h2>
          <Chart {...counts} kind="bars" label={text.payments} series={payments} pathOf={onDay(overviewLinks.created)} />
        </section>
        <section class="panel">
          <h2>{text.declines}</h2>
          <Causes
            causes={data.declines}
            none={text.noDeclines}
            label={text.declines}
            of="all"
            pathOf={(reason) => overviewLinks.declined(reason, period)}
          />
        </section>
        <section class="panel">
          <h2>{text.funnel}</h2>
          <ConversionFunnel data={data} period={period} />
        </section>
        <section class="panel">
          <h2>{text.tokens}</h2>
          <Chart {...counts} kind="bars" label={text.tokens} series={tokens} pathOf={onDay(overviewLinks.codesOf)} />
        </section>
        <section class="panel">
          <h2>{text.codesNotSent}</h2>
          <Causes
            causes={data.codesRefused}
            none={text.allCodesSent}
            label={text.codesNotSent}
            of="code"
            pathOf={() => overviewLinks.codes('not_sent', period)}
          />
          <a href={dashboardPath(overviewLinks.codesOf(period))}>{text.toVerification}</a>
        </section>
        <section class="panel">
          <h2>{text.latency}</h2>
          <Chart
            {...named}
            kind="lines"
            label={text.latency}
            series={latency}
            format={ms}
            formatTick={ms}
            pathOf={onDay(overviewLinks.requests)}
          />
        </section>
      </div>
    </>
  )
}

/** How many got from the card form to a payment. Each stage also says its share of the one before. */
function ConversionFunnel({ data: { total }, period }: { data: OverviewData; period: DayPeriod }) {
  const text = overviewPageText.current()
  const { created, codesSent: sent, verified, attempts, approved } = total
  const bars = Object.entries({ created, sent, verified, attempts, approved }).map(([stage, value]) => {
    return { name: text.stages[stage as keyof typeof text.stages], value }
  })
  const shareOf = (stage: number): number | null => {
    const [value, previous] = [bars[stage]?.value ?? 0, bars[stage - 1]?.value ?? 0]
    return stage === 0 || stage === firstOfPayments || previous === 0 ? null : percentOf(value, previous)
  }
  return (
    <BarList
      label={text.funnel}
      stepName={text.stage}
      tableLabel={text.asTable}
      valueName={text.funnelUnit}
      format={formatCount}
      tone="main"
      bars={bars}
      shareOf={shareOf}
      pathOf={(stage) => stagePaths[stage]?.(period) ?? null}
      more={(stage) => (shareOf(stage) === null ? '' : formatMessage(text.ofPrevious, shareOf(stage) ?? 0))}
    />
  )
}

/** In the order of the stages. Cards are not listed by day. */
const stagePaths: readonly (((days: DayPeriod) => string) | null)[] = [
  null,
  (days) => overviewLinks.codes('sent', days),
  (days) => overviewLinks.codes('verified', days),
  overviewLinks.created,
  overviewLinks.paid,
]

interface CausesProps {
  readonly causes: OverviewData['declines']
  /** Shown instead of an empty chart. */
  readonly none: string
  readonly label: string
  /** What failed: payments, or codes. */
  readonly of: keyof ReasonMessages
  /** Where what failed for a reason is listed. */
  readonly pathOf: (reason: string) => string
}

function Causes({ causes, none, label, of, pathOf }: CausesProps) {
  const text = overviewPageText.current()
  if (causes.length === 0) return <p class="none">{none}</p>
  const texts = reasonText.current()
  const all = causes.reduce((sum, { count }) => sum + count, 0)
  const named = causes
    .slice(0, causesMax)
    .map(({ reason, count }) => ({ name: texts[of][reason] ?? texts.all[reason] ?? reason, value: count }))
  return (
    <BarList
      label={label}
      stepName={text.reason}
      tableLabel={text.asTable}
      valueName={text.count}
      format={formatCount}
      tone="red"
      bars={named}
      shareOf={(index) => percentOf(named[index]?.value ?? 0, all)}
      pathOf={(index) => pathOf(causes[index]?.reason ?? '')}
    />
  )
}

/** The stage that does not follow from the one before: a card is verified once and pays often. */
const firstOfPayments = 3
const causesMax = 8
