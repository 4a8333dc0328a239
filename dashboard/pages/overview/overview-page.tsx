import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { useAsk } from '../../app/ask.ts'
import { words, wordsOf } from '../../app/language.ts'
import { pathOf } from '../../app/router.ts'
import { Answer } from '../../parts/answer.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Empty } from '../../parts/empty.tsx'
import { writeMoney } from '../../parts/money.tsx'
import { Range, type Days } from '../../parts/range.tsx'
import { writeDay, writeHour, writeMs } from '../../parts/time.tsx'
import { overviewWords } from './overview-words.ts'
import './overview.css'

type Found = Result<'dashboard.overview.get'>

/** How it goes, at a glance: tokens, conversion, payments, what was declined, and how long calls took. */
export function OverviewPage() {
  const days = useSignal<Days>(7)
  const asked = useAsk('dashboard.overview.get', { days: days.value })
  return (
    <div class="overview">
      <div class="tools">
        <Range days={days.value} onChange={(chosen) => (days.value = chosen)} />
      </div>
      <Answer asked={asked}>{(found) => <Figures found={found} />}</Answer>
    </div>
  )
}

function Figures({ found }: { found: Found }) {
  const text = wordsOf(overviewWords)
  const { total, steps } = found
  if (total.created + total.paid + total.refused + total.calls === 0) {
    return (
      <Empty {...text.none}>
        <p>
          <a href={pathOf('start')}>{text.toStart}</a>
        </p>
      </Empty>
    )
  }
  const shared = {
    steps: steps.map(({ at }) => (steps.length === 24 ? writeHour(at) : writeDay(at))),
    stepName: text.when,
    asTable: text.asTable,
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
    { name: text.half, tone: 'main', values: steps.map(({ p50Ms }) => p50Ms) },
    { name: text.p95, tone: 'amber', values: steps.map(({ p95Ms }) => p95Ms) },
  ] as const
  return (
    <>
      <ul class="totals">
        <Total name={text.tokens} value={String(total.created)} />
        <Total
          name={text.conversion}
          value={total.created === 0 ? '—' : `${String(Math.round((100 * total.verified) / total.created))} %`}
        />
        <Total name={text.payments} value={String(total.paid)} more={`${writeMoney(total.paidTiyin)} ${words.value.som}`} />
        <Total name={text.declined} value={String(total.refused)} />
        <Total name={text.p95} value={total.p95Ms === null ? '—' : writeMs(total.p95Ms)} />
      </ul>
      <div class="columns">
        <section class="panel">
          <h2>{text.tokens}</h2>
          <Chart {...shared} kind="bars" label={text.tokens} series={tokens} write={String} />
        </section>
        <section class="panel">
          <h2>{text.payments}</h2>
          <Chart {...shared} kind="bars" label={text.payments} series={payments} write={String} />
        </section>
        <section class="panel">
          <h2>{text.latency}</h2>
          <Chart {...shared} kind="lines" label={text.latency} series={latency} write={writeMs} />
        </section>
        <section class="panel">
          <h2>{text.declines}</h2>
          <Causes causes={found.declines} none={text.noDeclines} />
          <h3>{text.codesRefused}</h3>
          <Causes causes={found.codesRefused} none={text.noCodesRefused} />
          <a href={pathOf('verification')}>{text.toVerification}</a>
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

function Causes({ causes, none }: { causes: Found['declines']; none: string }) {
  const most = Math.max(1, ...causes.map(({ count }) => count))
  if (causes.length === 0) return <p class="none">{none}</p>
  return (
    <ul class="causes">
      {causes.map(({ reason, count }) => (
        <li key={reason}>
          <code>{reason}</code> <strong>{count}</strong>
          <progress max={most} value={count} aria-label={reason} />
        </li>
      ))}
    </ul>
  )
}
