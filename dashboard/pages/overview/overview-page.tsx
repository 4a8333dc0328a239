import '../../app/common.ts'

import { useMessages } from '../../app/lazy-messages.tsx'
import { dashboardPath } from '../../app/router.ts'
import { PeriodPicker } from '../../components/period-picker.tsx'
import { LoadingPanels, QueryResult, EmptyState } from '../../components/query-result.tsx'
import { usePeriod } from '../../hooks/use-period.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { overviewPageText, reasonText } from '../../messages/page-texts.ts'
import { ErrorGroups } from './error-groups.tsx'
import { OverviewAlerts } from './overview-alerts.tsx'
import { OverviewCharts } from './overview-charts.tsx'
import type { OverviewData } from './overview-data.ts'
import { PeriodSums } from './period-sums.tsx'

/** What needs attention, then money, payments, conversion, declines, call latency and errors of a period, compared with the one before. */
export function OverviewPage() {
  const state = usePeriod('last7')
  const query = useQuery('dashboard.overview.get', state.period)
  const loading = useMessages(overviewPageText, reasonText)
  if (loading !== null) return loading
  return (
    <div class="overview">
      <PeriodPicker state={state} daysMax={daysMax} />
      <QueryResult query={query} placeholder={<LoadingPanels />}>
        {(data) => <OverviewPanels data={data} period={state.period} />}
      </QueryResult>
    </div>
  )
}

function OverviewPanels({ data, period }: { data: OverviewData; period: { readonly from: string; readonly to: string } }) {
  const text = overviewPageText.current()
  const { created, paid, refunded, refused, calls } = data.total
  if (created + paid + refunded + refused + calls === 0) {
    return (
      <EmptyState {...text.none}>
        <p>
          <a href={dashboardPath('start')}>{text.toStart}</a>
        </p>
      </EmptyState>
    )
  }
  return (
    <>
      <OverviewAlerts data={data} />
      <PeriodSums data={data} period={period} />
      <OverviewCharts data={data} period={period} />
      <ErrorGroups errors={data.errors} period={period} />
    </>
  )
}

/** As the service accepts. */
const daysMax = 92
