import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { formatMs } from '../../format/numbers.ts'
import { shortId, useObjectTitle } from '../../app/object-title.ts'
import { dashboardPath } from '../../app/router.ts'
import { hasRole } from '../../app/session-state.ts'
import { CopyButton, Snippet } from '../../components/copy.tsx'
import { DetailList } from '../../components/details.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { RelatedLinks } from '../../components/links.tsx'
import { QueryResult } from '../../components/query-result.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { webhookPageText } from '../../messages/page-texts.ts'

type DeliveryDetails = Result<'dashboard.webhooks.delivery'>

/** The delivery of one event to one endpoint: its body, every attempt, and a replay. */
export function DeliveryDetail({ eventId, endpointId }: { eventId: string; endpointId: string }) {
  const text = webhookPageText.current()
  const query = useQuery('dashboard.webhooks.delivery', { eventId, endpointId })
  const isConfirming = useSignal(false)
  useObjectTitle(`${query.result.value?.delivery.type ?? text.id} ${shortId(eventId)}`)
  return (
    <>
      <QueryResult query={query}>
        {(details) => (
          <div class="detail">
            <DeliverySummary {...details} onReplay={() => (isConfirming.value = true)} onRefresh={query.refetch} />
            <div class="stack">
              <Attempts {...details} />
              {details.delivery.type !== null && <Snippet label={text.body} text={indentJson(details.body)} />}
            </div>
          </div>
        )}
      </QueryResult>
      {isConfirming.value && (
        <ConfirmDialog
          title={text.replayTitle}
          text={text.replayText}
          confirmLabel={text.replay}
          onClose={() => (isConfirming.value = false)}
          onConfirm={async () => {
            await call('dashboard.webhooks.replay', { eventId, endpointId })
            query.refetch()
          }}
        />
      )}
    </>
  )
}

function DeliverySummary({ delivery, onReplay, onRefresh }: DeliveryDetails & { onReplay: () => void; onRefresh: () => void }) {
  const text = webhookPageText.current()
  const { eventId, type, objectId, url, isEndpointTampered, state, attemptCount, dueAt, createdAt, completedAt } = delivery
  const rows = [
    [text.id, <CopyButton text={eventId} />],
    [
      text.object,
      type === null || type === 'page.changed' ? (
        objectId
      ) : (
        <a href={dashboardPath(`${type.startsWith('card.') ? 'cards' : 'receipts'}/${objectId}`)}>{shortId(objectId)}</a>
      ),
    ],
    [text.endpoint, url ?? (isEndpointTampered ? text.tampered : text.removed)],
    [text.createdAt, <Time at={createdAt} />],
    [text.attemptCount, attemptCount],
    [text.next, dueAt === null ? null : <Time at={dueAt} />],
    [text.completedAt, completedAt === 0 ? null : <Time at={completedAt} />],
  ] as const
  return (
    <section class="panel">
      <h2>{type ?? text.tampered}</h2>
      {type === null && <p role="alert">{text.tamperedEventText}</p>}
      {type !== null && <p>{text.typeMeanings[type]}</p>}
      <DeliveryStateTag state={state} />
      <DetailList details={rows} />
      {type !== null && type !== 'page.changed' && (
        <p class="related">
          <RelatedLinks kind={type.startsWith('card.') ? 'cards' : 'receipts'} id={objectId} />
        </p>
      )}
      <div class="actions">
        <button type="button" onClick={onRefresh}>
          {text.refresh}
        </button>
        {hasRole('developer') && url !== null && type !== null && (
          <button type="button" class="main" onClick={onReplay}>
            {text.replay}
          </button>
        )}
      </div>
    </section>
  )
}

function Attempts({ attempts }: DeliveryDetails) {
  const text = webhookPageText.current()
  return (
    <section class="panel">
      <h2>{text.attempts}</h2>
      {attempts.length === 0 && <p>{text.noAttempt}</p>}
      <ol class="timeline">
        {attempts.map(({ number, at, replyHeaders, replyBody, ...outcome }) => (
          <li key={number}>
            <strong>{formatMessage(text.attempt, number)}</strong> <DeliveryOutcome {...outcome} />
            <small>
              <Time at={at} />
            </small>
            {outcome.status > 0 && <EndpointReply headers={replyHeaders} body={replyBody} />}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** What the endpoint replied, as far as it is stored. */
function EndpointReply({ headers, body }: { headers: string; body: string }) {
  const text = webhookPageText.current()
  if (headers === '') return <small>{text.replyNotStored}</small>
  return (
    <details>
      <summary>{text.reply}</summary>
      <pre tabIndex={0}>{body === '' ? headers : `${headers}\n\n${body}`}</pre>
    </details>
  )
}

/** JSON on several lines; anything else as it is. */
function indentJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** The outcome of one attempt: a label, the HTTP status if there was a response, and the time it took. */
export function DeliveryOutcome({ outcome, status, tookMs }: { outcome: string; status: number; tookMs: number }) {
  const text = webhookPageText.current()
  return (
    <>
      <Tag tone={outcome === 'delivered' ? 'green' : 'red'}>{text.outcomes[outcome] ?? outcome}</Tag>{' '}
      {status > 0 && <code>HTTP {status}</code>} <small>{formatMs(tookMs, messages.value.ms)}</small>
    </>
  )
}

export function DeliveryStateTag({ state }: { state: 'waiting' | 'delivered' | 'dead' }) {
  const tone = { waiting: 'amber', delivered: 'green', dead: 'red' } as const
  return <Tag tone={tone[state]}>{webhookPageText.current().states[state]}</Tag>
}
