import type { Result } from '@tessera/contract/operations'

import { Tag, Time } from '../../components/values.tsx'
import { formatMessage } from '../../messages/lookup.ts'
import { webhookPageText } from '../../messages/page-texts.ts'

type EndpointHealthView = Result<'dashboard.webhooks.list'>['endpoints'][number]['health']

/** How the deliveries to an endpoint go: how many arrive, when one was given up, and what has waited longest. */
export function EndpointHealthSummary({ health: { attempted, delivered, lastFailedAt, oldestWaitingAt } }: { health: EndpointHealthView }) {
  const text = webhookPageText.current()
  if (attempted === 0 && oldestWaitingAt === null && lastFailedAt === null) return <p class="health faint">{text.noDeliveriesYet}</p>
  const percent = attempted === 0 ? null : Math.floor((100 * delivered) / attempted)
  return (
    <dl class="health">
      <div>
        <dt>{text.successRate}</dt>
        <dd>
          {percent === null ? '—' : <Tag tone={percent >= 99 ? 'green' : percent >= 90 ? 'amber' : 'red'}>{`${String(percent)} %`}</Tag>}{' '}
          {attempted > 0 && <small>{formatMessage(text.deliveredOf, delivered, attempted)}</small>}
        </dd>
      </div>
      <div>
        <dt>{text.lastFailed}</dt>
        <dd>{lastFailedAt === null ? '—' : <Time at={lastFailedAt} />}</dd>
      </div>
      <div>
        <dt>{text.oldestWaiting}</dt>
        <dd>{oldestWaitingAt === null ? '—' : <Time at={oldestWaitingAt} />}</dd>
      </div>
    </dl>
  )
}
