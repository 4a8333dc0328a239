import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { shortId, useObjectTitle } from '../../app/object-title.ts'
import { dashboardPath } from '../../app/router.ts'
import { hasRole } from '../../app/session-state.ts'
import { CopyButton } from '../../components/copy.tsx'
import { JsonDetails } from '../../components/details.tsx'
import { CustomerLink, RelatedLinks, StepTime } from '../../components/links.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { QueryResult } from '../../components/query-result.tsx'
import { Money, Time } from '../../components/values.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { actorLabel, outcomeLabel } from '../../messages/audit-labels.ts'
import { labelOf } from '../../messages/lookup.ts'
import { auditLabelText, cardPageText, reasonText, receiptPageText } from '../../messages/page-texts.ts'
import { CardStateTag } from './card-state.tsx'
import { ReceiptStatusTag } from '../receipts/receipt-status.tsx'

type CardDetails = Result<'dashboard.cards.get'>

/** One card: its data, the cardholder's consent, and its history. */
export function CardDetail({ cardId }: { cardId: string }) {
  const query = useQuery('dashboard.cards.get', { cardId })
  const isRemoving = useSignal(false)
  const loading = useMessages(cardPageText, receiptPageText, auditLabelText, reasonText)
  const name = cardPageText.isLoaded.value ? cardPageText.current().number : ''
  useObjectTitle(`${name} ${query.result.value?.card.number ?? shortId(cardId)}`)
  if (loading !== null) return loading
  const text = cardPageText.current()
  return (
    <>
      <QueryResult query={query}>
        {(details) => (
          <div class="detail">
            {details.card.state === 'tampered' ? (
              <Tampered card={details.card} />
            ) : (
              <CardSummary {...details} onRemove={() => (isRemoving.value = true)} />
            )}
            <div class="stack">
              <Timeline timeline={details.timeline} />
              <RelatedPanel cardId={cardId} />
            </div>
          </div>
        )}
      </QueryResult>
      {isRemoving.value && (
        <ConfirmDialog
          title={text.removeTitle}
          text={text.removeText}
          confirmLabel={text.remove}
          onClose={() => (isRemoving.value = false)}
          onConfirm={async () => {
            await call('dashboard.cards.remove', { cardId })
            query.refetch()
          }}
        />
      )}
    </>
  )
}

function CardSummary({ card, onRemove }: CardDetails & { onRemove: () => void }) {
  const text = cardPageText.current()
  const isUsable = card.state === 'live' || card.state === 'expired'
  return (
    <section class="panel">
      <h2>
        <CardStateTag card={card} />
      </h2>
      <dl>
        <dt>{text.cardId}</dt>
        <dd>
          <CopyButton text={card.cardId} />
        </dd>
        <dt>{text.expiry}</dt>
        <dd>{card.expire}</dd>
        <dt>{text.customer}</dt>
        <dd>
          <CustomerLink customer={card.customer} />
        </dd>
        <dt>{text.created}</dt>
        <dd>
          <Time at={card.createdAt} />
        </dd>
        <dt>{text.wipedAt}</dt>
        <dd>
          <Time at={card.endedAt ?? card.endsAt} />
        </dd>
        <dt>{text.consent}</dt>
        <dd>{card.consent === null ? '—' : card.consent === asserted ? text.consentAsserted : <JsonDetails json={card.consent} />}</dd>
        {card.account !== null && (
          <>
            <dt>{text.account}</dt>
            <dd>
              <JsonDetails json={card.account} />
            </dd>
          </>
        )}
      </dl>
      {isUsable && hasRole('support') && (
        <button type="button" class="danger" onClick={onRemove}>
          {text.remove}
        </button>
      )}
    </section>
  )
}

/** A consent that the merchant has asserted, as it is stored. */
const asserted = '{"asserted":"merchant"}'

/** What else there is of the card. */
function RelatedPanel({ cardId }: { cardId: string }) {
  const text = cardPageText.current()
  return (
    <section class="panel">
      <h2>{messages.value.related}</h2>
      <p class="related">
        <a href={dashboardPath(`receipts?card=${cardId}`)}>{text.allPayments}</a>
        <RelatedLinks kind="cards" id={cardId} />
      </p>
    </section>
  )
}

/** The row fails its MAC check, so none of its values are shown. */
function Tampered({ card }: Pick<CardDetails, 'card'>) {
  const text = cardPageText.current()
  return (
    <section class="panel">
      <h2>{text.label}</h2>
      <CardStateTag card={card} />
      <p role="alert">{text.tampered}</p>
      <dl>
        <dt>{text.cardId}</dt>
        <dd>
          <CopyButton text={card.cardId} />
        </dd>
      </dl>
    </section>
  )
}

function Timeline({ timeline }: Pick<CardDetails, 'timeline'>) {
  const text = cardPageText.current()
  const labels = auditLabelText.current()
  return (
    <section class="panel">
      <h2>{text.history}</h2>
      <ol class="timeline">
        {timeline.map(({ at, what, outcome, status, actor, name, phone, requestId, receiptId, amountTiyin }) => (
          <li key={`${at} ${what} ${receiptId ?? ''} ${outcome}`}>
            <strong>{what === 'receipt' ? text.payment : labelOf(labels.actions, what)}</strong>
            {what === 'receipt' ? <ReceiptStatusTag status={status} /> : <span>{outcomeLabel(outcome, labels)}</span>}
            {amountTiyin !== null && <Money tiyin={amountTiyin} />}
            {receiptId !== null && <a href={dashboardPath(`receipts/${receiptId}`)}>{text.receipt}</a>}
            <small>
              <StepTime requestId={requestId} actor={actor}>
                <Time at={at} />
              </StepTime>{' '}
              · {actorLabel({ actor, name, phone }, labels)}
            </small>
          </li>
        ))}
      </ol>
    </section>
  )
}
