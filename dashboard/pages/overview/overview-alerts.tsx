import { dashboardPath } from '../../app/router.ts'
import { SignIcon } from '../../components/icons.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { overviewPageText, reasonText } from '../../messages/page-texts.ts'
import { findCodeAlert, findEndpointAlerts } from './find-alerts.ts'
import type { OverviewData } from './overview-data.ts'

/** What somebody has to look at now, above the numbers; nothing while all is well. */
export function OverviewAlerts({ data }: { data: OverviewData }) {
  const text = overviewPageText.current()
  const { code, all } = reasonText.current()
  const webhooks = useQuery('dashboard.webhooks.list', {})
  const endpoints = findEndpointAlerts(webhooks.result.value?.endpoints ?? [])
  const codes = findCodeAlert(data)
  if (endpoints.length === 0 && codes === null) return null
  return (
    <ul class="alerts" aria-label={text.alerts}>
      {endpoints.map(({ endpointId, url, attempted, delivered }) => (
        <li key={endpointId}>
          <SignIcon name="warning" />
          <span>
            <strong>{text.endpointAlert}</strong> <span class="url">{url}</span>:{' '}
            {formatMessage(text.endpointDelivered, delivered, attempted)}
          </span>
          <a href={dashboardPath(`webhooks?endpoint=${endpointId}&state=dead`)}>{text.toFailed}</a>
        </li>
      ))}
      {codes !== null && (
        <li>
          <SignIcon name="warning" />
          <span>
            <strong>{text.codeAlert}</strong> {formatMessage(text.codesFailed, codes.count, codes.requested)}{' '}
            {code[codes.reason] ?? all[codes.reason] ?? ''}
          </span>
          <a href={dashboardPath('verification?outcome=failed')}>{text.toVerification}</a>
        </li>
      )}
    </ul>
  )
}
