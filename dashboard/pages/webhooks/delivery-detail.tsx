import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { useAsk } from '../../app/ask.ts'
import { call } from '../../app/call.ts'
import { pathOf } from '../../app/router.ts'
import { may } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Copy } from '../../parts/copy.tsx'
import { FactList } from '../../parts/fact-list.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { Time } from '../../parts/time.tsx'
import { DeliveryState, Outcome } from './outcome.tsx'
import { fill } from '../../app/long-words.tsx'
import { webhookText } from './webhook-text.ts'

type Found = Result<'dashboard.webhooks.delivery'>

/** One event on its way to one endpoint: what was sent, every attempt, and a replay. */
export function DeliveryDetail(key: { eventId: string; endpointId: string }) {
  const text = webhookText.now()
  const { eventId, endpointId } = key
  const asked = useAsk('dashboard.webhooks.delivery', { eventId, endpointId })
  const isAsking = useSignal(false)
  return (
    <>
      <p>
        <a href={pathOf('webhooks')}>← {text.back}</a>
      </p>
      <Answer asked={asked}>
        {(found) => (
          <div class="columns">
            <Facts {...found} onReplay={() => (isAsking.value = true)} onAgain={asked.again} />
            <Attempts {...found} />
            <section class="panel">
              <h2>{text.body}</h2>
              <Snippet label={text.body} text={indented(found.body)} />
            </section>
          </div>
        )}
      </Answer>
      {isAsking.value && (
        <Confirm
          {...{ title: text.replayTitle, text: text.replayText, deed: text.replay, onClose: () => (isAsking.value = false) }}
          onDeed={async () => {
            await call('dashboard.webhooks.replay', { eventId, endpointId })
            asked.again()
          }}
        />
      )}
    </>
  )
}

function Facts({ delivery, onReplay, onAgain }: Found & { onReplay: () => void; onAgain: () => void }) {
  const text = webhookText.now()
  const { eventId, type, objectId, url, state, tries, dueAt, madeAt, settledAt } = delivery
  const facts = [
    [text.id, <Copy text={eventId} />],
    [text.about, <a href={pathOf(`${type.startsWith('card.') ? 'cards' : 'receipts'}/${objectId}`)}>{objectId}</a>],
    [text.endpoint, url ?? text.removed],
    [text.happened, <Time at={madeAt} />],
    [text.tries, tries],
    [text.next, dueAt === null ? null : <Time at={dueAt} />],
    [text.settled, settledAt === 0 ? null : <Time at={settledAt} />],
  ] as const
  return (
    <section class="panel">
      <h2>{type}</h2>
      <DeliveryState state={state} />
      <FactList facts={facts} />
      <div class="deeds">
        <button type="button" onClick={onAgain}>
          {text.refresh}
        </button>
        {may('developer') && url !== null && (
          <button type="button" class="main" onClick={onReplay}>
            {text.replay}
          </button>
        )}
      </div>
    </section>
  )
}

function Attempts({ attempts }: Found) {
  const text = webhookText.now()
  return (
    <section class="panel">
      <h2>{text.attempts}</h2>
      {attempts.length === 0 && <p>{text.noAttempt}</p>}
      <ol class="timeline">
        {attempts.map(({ number, at, ...said }) => (
          <li key={number}>
            <strong>{fill(text.attempt, number)}</strong> <Outcome {...said} />
            <small>
              <Time at={at} />
            </small>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** JSON is shown by lines; what is none, as it is. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
