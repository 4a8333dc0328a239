import type { Result } from '@tessera/contract/operations'
import { dayStart } from '@tessera/contract/calendar-day'

import { call } from '../../app/api.ts'
import { toExportConditions } from '../../app/export-conditions.ts'
import type { ExportSource } from '../../app/export-jobs.ts'
import { language } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { dashboardPath } from '../../app/router.ts'
import { ExportButtons } from '../../components/export-buttons.tsx'
import { PeriodPicker } from '../../components/period-picker.tsx'
import { EmptyState, QueryResult } from '../../components/query-result.tsx'
import { Money } from '../../components/values.tsx'
import { formatCount } from '../../format/numbers.ts'
import { formatDate } from '../../format/time.ts'
import { usePeriod } from '../../hooks/use-period.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { receiptPageText, totalsText } from '../../messages/page-texts.ts'
import { noFilter, receiptsPath } from './receipt-filter.ts'
import { ReceiptTabs } from './receipt-tabs.tsx'

type DailyTotals = Result<'dashboard.receipts.totals'>
type DayTotals = DailyTotals['total']

/** What was paid and refunded on each day of a period, what is net, and what is still open. */
export function DailyTotalsPage() {
  const state = usePeriod('thisMonth')
  const query = useQuery('dashboard.receipts.totals', state.period)
  const loading = useMessages(receiptPageText, totalsText)
  if (loading !== null) return loading
  return (
    <>
      <div class="list-head">
        <ReceiptTabs />
        <ExportButtons source={totalsExport(state.period)} />
      </div>
      <PeriodPicker state={state} daysMax={daysMax} />
      <QueryResult query={query}>{(totals) => <TotalsOf totals={totals} />}</QueryResult>
    </>
  )
}

function TotalsOf({ totals: { days, total, unreadEntries } }: { totals: DailyTotals }) {
  const text = totalsText.current()
  const isEmpty = total.paid + total.refunded + total.pending === 0
  return (
    <>
      <ul class="totals of-money">
        <Total name={text.net} tiyin={total.netTiyin} isMain />
        <Total name={text.paid} tiyin={total.paidTiyin} count={formatMessage(text.payments, formatCount(total.paid))} />
        <Total name={text.refunded} tiyin={total.refundedTiyin} count={formatMessage(text.refunds, formatCount(total.refunded))} />
        <Total name={text.pending} tiyin={total.pendingTiyin} count={formatMessage(text.receipts, formatCount(total.pending))} />
      </ul>
      {unreadEntries > unreadMin && <p role="note">{formatMessage(text.preparing, formatCount(unreadEntries))}</p>}
      {isEmpty ? <EmptyState {...text.none} next="none" /> : <DayTable days={days} total={total} />}
      <p class="hint">{text.explained}</p>
    </>
  )
}

interface TotalProps {
  readonly name: string
  readonly tiyin: number
  readonly count?: string
  readonly isMain?: boolean
}

function Total({ name, tiyin, count, isMain = false }: TotalProps) {
  return (
    <li class={`panel${isMain ? ' main' : ''}`}>
      <span>{name}</span>
      <strong>
        <Money tiyin={tiyin} />
      </strong>
      {count !== undefined && <small>{count}</small>}
    </li>
  )
}

/** The newest day first, as in every list, and the sum of all in the foot. */
function DayTable({ days, total }: Pick<DailyTotals, 'days' | 'total'>) {
  const text = totalsText.current()
  return (
    <div class="table day-totals" tabIndex={0} role="region" aria-label={text.label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{text.day}</th>
            <th scope="col" class="number">
              {text.paid}
            </th>
            <th scope="col" class="number minor">
              {text.paidCount}
            </th>
            <th scope="col" class="number minor">
              {text.refunded}
            </th>
            <th scope="col" class="number minor">
              {text.refundedCount}
            </th>
            <th scope="col" class="number minor">
              {text.fees}
            </th>
            <th scope="col" class="number">
              {text.net}
            </th>
            <th scope="col" class="number minor">
              {text.pending}
            </th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, ...totals }) => (
            <tr key={day}>
              <th scope="row">
                <a href={dashboardPath(receiptsPath({ ...noFilter, date: 'paid', from: day, to: day }))}>
                  {formatDate(dayStart(day), language.value)}
                </a>
              </th>
              <Cells totals={totals} day={day} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{text.sum}</th>
            <Cells totals={total} />
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

function Cells({ totals, day }: { totals: DayTotals; day?: string }) {
  const { paid, paidTiyin, refunded, refundedTiyin, feeTiyin, netTiyin, pending, pendingTiyin } = totals
  return (
    <>
      <td class="number">
        <Amount tiyin={paidTiyin} />
      </td>
      <td class="number minor">{formatCount(paid)}</td>
      <td class="number minor">
        {day === undefined || refunded === 0 ? (
          <Amount tiyin={refundedTiyin} />
        ) : (
          <a href={dashboardPath(receiptsPath({ ...noFilter, date: 'refunded', from: day, to: day }))}>
            <Amount tiyin={refundedTiyin} />
          </a>
        )}
      </td>
      <td class="number minor">{formatCount(refunded)}</td>
      <td class="number minor">
        <Amount tiyin={feeTiyin} />
      </td>
      <td class="number">
        <strong>
          <Amount tiyin={netTiyin} />
        </strong>
      </td>
      <td class="number minor">
        {pending === 0 ? (
          '—'
        ) : (
          <>
            <Amount tiyin={pendingTiyin} /> <small>({formatCount(pending)})</small>
          </>
        )}
      </td>
    </>
  )
}

/** Without its unit, which the sums above and the heading of the page have. */
function Amount({ tiyin }: { tiyin: number }) {
  return tiyin === 0 ? <span class="nothing">0</span> : <Money tiyin={tiyin} isPlain />
}

/** The same table as a file, one row a day. */
function totalsExport(period: { readonly from: string; readonly to: string }): ExportSource {
  const text = totalsText.current()
  return {
    name: `daily-totals-${period.from}-${period.to}`,
    title: text.label,
    list: 'totals',
    conditions: toExportConditions({ ...period }),
    open: () => async () => {
      const { days, unreadEntries } = await call('dashboard.receipts.totals', period)
      const { som } = text
      return {
        columns: [
          { header: `${text.day} (UTC+5)`, kind: 'text' },
          { header: text.paidCount, kind: 'integer' },
          { header: `${text.paid}, ${som}`, kind: 'som' },
          { header: text.refundedCount, kind: 'integer' },
          { header: `${text.refunded}, ${som}`, kind: 'som' },
          { header: `${text.fees}, ${som}`, kind: 'som' },
          { header: `${text.net}, ${som}`, kind: 'som' },
          { header: `${text.net}, ${text.tiyin}`, kind: 'integer' },
          { header: text.pendingCount, kind: 'integer' },
          { header: `${text.pending}, ${som}`, kind: 'som' },
        ],
        rows: days.map(({ day, paid, paidTiyin, refunded, refundedTiyin, feeTiyin, netTiyin, pending, pendingTiyin }) => {
          return [day, paid, paidTiyin, refunded, refundedTiyin, feeTiyin, netTiyin, netTiyin, pending, pendingTiyin]
        }),
        next: null,
        unread: unreadEntries > unreadMin ? unreadEntries : 0,
      }
    },
  }
}

const daysMax = 366
/** A few changes are always on their way. */
const unreadMin = 1000
