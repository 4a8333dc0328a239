import '../../app/common.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { route } from '../../app/router.ts'
import { Snippet } from '../../components/copy.tsx'
import { webhookPageText } from '../../messages/page-texts.ts'
import { DeliveryDetail } from './delivery-detail.tsx'
import { parseDeliveryFilter } from './delivery-filter.ts'
import { DeliveryList } from './delivery-list.tsx'
import { EndpointList } from './endpoint-list.tsx'
import { receiverSnippets } from './receiver-snippets.ts'

/** Endpoints and deliveries at /dashboard/webhooks, and one delivery at /dashboard/webhooks/<event>/<endpoint>. */
export function WebhooksPage() {
  const loading = useMessages(webhookPageText)
  if (loading !== null) return loading
  const [eventId, endpointId] = route.value.rest
  if (eventId !== undefined && endpointId !== undefined)
    return <DeliveryDetail key={`${eventId} ${endpointId}`} eventId={eventId} endpointId={endpointId} />
  // A link to the deliveries of one object is about them.
  const isAboutObject = parseDeliveryFilter(route.value.query).objectId !== undefined
  return (
    <div class="webhooks">
      {isAboutObject && <DeliveryList key="deliveries" />}
      <EndpointList key="endpoints" />
      {!isAboutObject && <DeliveryList key="deliveries" />}
      <ReceiverExamples />
    </div>
  )
}

function ReceiverExamples() {
  const text = webhookPageText.current()
  return (
    <section class="panel">
      <h2>{text.receive}</h2>
      <p>{text.receiveText}</p>
      {Object.entries(receiverSnippets).map(([language, code]) => (
        <details key={language}>
          <summary>{language}</summary>
          <Snippet label={language} text={code} />
        </details>
      ))}
    </section>
  )
}
