import { language, messages } from '../../app/language.ts'
import { dashboardPath } from '../../app/router.ts'
import { changePercent } from '../../components/chart-scale.ts'
import { Money } from '../../components/values.tsx'
import { formatCount, formatMs, percentOf } from '../../format/numbers.ts'
import { formatPeriod } from '../../format/period.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { overviewPageText } from '../../messages/page-texts.ts'
import { noFilter, receiptsPath } from '../receipts/receipt-filter.ts'
import type { OverviewData } from './overview-page.tsx'

interface OverviewTotalsProps {
  readonly data: OverviewData
  readonly period: { readonly from: string; readonly to: string }
}

/** The sums of the period: money first and largest, each with its change from the period before. */
export function OverviewTotals({ data: { total, before }, period }: OverviewTotalsProps) {
  const text = overviewPageText.current()
  const earlier = before.total
  const share = (part: number, whole: number): number | null => (whole === 0 ? null : percentOf(part, whole))
  const [approval, approvalBefore] = [share(total.approved, total.attempts), share(earlier.approved, earlier.attempts)]
  const [conversion, conversionBefore] = [share(total.verified, total.created), share(earlier.verified, earlier.created)]
  const net = total.paidTiyin - total.refundedTiyin
  return (
    <>
      <div class="panel money-head">
        <div>
          <span>{text.net}</span>
          <strong>
            <Money tiyin={net} />
          </strong>
          <Change now={net} before={earlier.paidTiyin - earlier.refundedTiyin} isMoreBetter />
        </div>
        <div>
          <span>{text.paidMoney}</span>
          <b>
            <Money tiyin={total.paidTiyin} />
          </b>
          <small>{formatMessage(text.paymentCount, formatCount(total.paid))}</small>
          <Change now={total.paidTiyin} before={earlier.paidTiyin} isMoreBetter />
        </div>
        <div>
          <span>{text.refundedMoney}</span>
          <b>
            <Money tiyin={total.refundedTiyin} />
          </b>
          <small>{formatMessage(text.refundCount, formatCount(total.refunded))}</small>
          <Change now={total.refundedTiyin} before={earlier.refundedTiyin} />
        </div>
        <p>
          {formatMessage(text.compared, formatPeriod(before, language.value))}
          <a href={dashboardPath(receiptsPath({ ...noFilter, date: 'paid', ...period }))}>{text.toPaid}</a>
          <a href={dashboardPath(`receipts/totals?from=${period.from}&to=${period.to}`)}>{text.toTotals}</a>
        </p>
      </div>
      <ul class="totals">
        <Total
          name={text.approval}
          value={approval === null ? '—' : `${String(approval)} %`}
          now={approval}
          before={approvalBefore}
          isMoreBetter
          isShare
        >
          {formatMessage(text.ofAttempts, formatCount(total.approved), formatCount(total.attempts))}
        </Total>
        <Total name={text.declined} value={formatCount(total.refused)} now={total.refused} before={earlier.refused} />
        <Total name={text.tokens} value={formatCount(total.created)} now={total.created} before={earlier.created} isMoreBetter />
        <Total
          name={text.conversion}
          value={conversion === null ? '—' : `${String(conversion)} %`}
          now={conversion}
          before={conversionBefore}
          isMoreBetter
          isShare
        >
          {formatMessage(text.ofAttempts, formatCount(total.verified), formatCount(total.created))}
        </Total>
        <Total
          name={text.p95}
          value={total.p95Ms === null ? '—' : formatMs(total.p95Ms, messages.value.ms)}
          now={total.p95Ms}
          before={earlier.p95Ms}
        />
      </ul>
    </>
  )
}

interface TotalProps {
  readonly name: string
  readonly value: string
  readonly now: number | null
  readonly before: number | null
  readonly isMoreBetter?: boolean
  /** Percentages, whose difference is in percentage points. */
  readonly isShare?: boolean
  readonly children?: string
}

function Total({ name, value, now, before, isMoreBetter = false, isShare = false, children }: TotalProps) {
  return (
    <li class="panel">
      <span>{name}</span>
      <strong>{value}</strong>
      {children !== undefined && <small>{children}</small>}
      {now !== null && before !== null && <Change now={now} before={before} isMoreBetter={isMoreBetter} isShare={isShare} />}
    </li>
  )
}

interface ChangeProps {
  readonly now: number
  readonly before: number
  readonly isMoreBetter?: boolean
  readonly isShare?: boolean
}

/** The change from the period before, by an arrow, a number and a colour; screen readers get words. */
function Change({ now, before, isMoreBetter = false, isShare = false }: ChangeProps) {
  const text = overviewPageText.current()
  const percent = isShare ? now - before : changePercent(before, now)
  const unit = isShare ? text.points : '%'
  if (percent === null) return now === 0 ? null : <small class="change">{text.noBefore}</small>
  if (percent === 0) return <small class="change">{text.same}</small>
  const isGood = percent > 0 === isMoreBetter
  return (
    <small class={`change ${isGood ? 'good' : 'bad'}`}>
      <span aria-hidden="true">
        {percent > 0 ? '▲' : '▼'} {Math.abs(percent)} {unit}
      </span>
      <span class="visually-hidden">{formatMessage(percent > 0 ? text.rise : text.fall, `${String(Math.abs(percent))} ${unit}`)}</span>
    </small>
  )
}
