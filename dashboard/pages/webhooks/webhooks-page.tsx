import { place } from '../../app/router.ts'
import { Snippet } from '../../parts/snippet.tsx'
import { DeliveryDetail } from './delivery-detail.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { EndpointList } from './endpoint-list.tsx'
import { receivers } from './receivers.ts'
import { webhookText } from './webhook-text.ts'

/** /dashboard/webhooks has endpoints and deliveries, /dashboard/webhooks/<event>/<endpoint> one delivery. */
export function WebhooksPage() {
  if (webhookText.use() === null) return webhookText.show()
  const [eventId, endpointId] = place.value.rest
  if (eventId !== undefined && endpointId !== undefined) return <DeliveryDetail eventId={eventId} endpointId={endpointId} />
  return (
    <div class="webhooks">
      <EndpointList />
      <DeliveryList />
      <Receive />
    </div>
  )
}

function Receive() {
  const text = webhookText.now()
  return (
    <section class="panel">
      <h2>{text.receive}</h2>
      <p>{text.receiveText}</p>
      {Object.entries(receivers).map(([language, code]) => (
        <details key={language}>
          <summary>{language}</summary>
          <Snippet label={language} text={code} />
        </details>
      ))}
    </section>
  )
}
