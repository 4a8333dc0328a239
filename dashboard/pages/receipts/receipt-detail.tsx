import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { useMessages } from '../../app/lazy-messages.tsx'
import { language, messages } from '../../app/language.ts'
import { shortId, useObjectTitle } from '../../app/object-title.ts'
import { hasRole } from '../../app/session-state.ts'
import { CopyButton } from '../../components/copy.tsx'
import { DetailList, JsonDetails } from '../../components/details.tsx'
import { CardLink, CustomerLink, RelatedLinks, StepTime } from '../../components/links.tsx'
import { QueryResult } from '../../components/query-result.tsx'
import { ReasonText } from '../../components/reason.tsx'
import { Money, Tag, Time } from '../../components/values.tsx'
import { formatSom } from '../../format/numbers.ts'
import { usePolling } from '../../hooks/use-polling.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { actionLabel, actorLabel, isOutcomeInAction, outcomeLabel } from '../../messages/audit-labels.ts'
import { labelOf } from '../../messages/lookup.ts'
import { auditLabelText, reasonText, receiptActionText, receiptPageText } from '../../messages/page-texts.ts'
import { availableActions, isMoving, progressOf, type ReceiptAction } from './receipt-action.ts'
import { ReceiptActionDialog } from './receipt-action-dialog.tsx'
import { ReceiptStatusTag } from './receipt-status.tsx'

type ReceiptDetails = Result<'dashboard.receipts.get'>

/** One receipt: its data, the network's responses, and its history. */
export function ReceiptDetail({ receiptId }: { receiptId: string }) {
  const query = useQuery('dashboard.receipts.get', { receiptId })
  const dialog = useSignal<ReceiptAction | null>(null)
  const started = useSignal<StartedAction | null>(null)
  usePolling(() => {
    const details = query.result.peek()
    const action = started.peek()
    if (details === null) return
    if (isMoving(details) || (action !== null && progressOf(action.action, details.receipt) === 'asked')) query.refetchIfIdle()
  }, followIntervalMs)
  const loading = useMessages(receiptPageText, receiptActionText, auditLabelText, reasonText)
  const name = receiptPageText.isLoaded.value ? receiptPageText.current().id : ''
  const amount = query.result.value?.receipt.amountTiyin
  const money = amount === undefined ? '' : ` · ${formatSom(amount, language.value)}\u00a0${messages.value.som}`
  useObjectTitle(`${name} ${shortId(receiptId)}${money}`)
  if (loading !== null) return loading
  const details = query.result.value
  return (
    <>
      <QueryResult query={query}>
        {(details) => (
          <div class="detail">
            <ReceiptSummary
              receipt={details.receipt}
              attempted={attemptedCards(details.operations)}
              actions={availableActions(details)}
              started={started.value}
              onAction={(wanted) => (dialog.value = wanted)}
            />
            <div class="stack">
              <NetworkOperations operations={details.operations} />
              <Timeline timeline={details.timeline} />
              <RelatedPanel receiptId={receiptId} />
            </div>
          </div>
        )}
      </QueryResult>
      {dialog.value !== null && details !== null && (
        <ReceiptActionDialog
          action={dialog.value}
          {...details}
          onClose={() => (dialog.value = null)}
          onDone={(isFoundOut) => {
            started.value = dialog.value === null ? null : { action: dialog.value, isFoundOut }
            query.refetch()
          }}
        />
      )}
    </>
  )
}

interface StartedAction {
  readonly action: ReceiptAction
  /** The reply was lost, or somebody else was faster. */
  readonly isFoundOut: boolean
}

/** What else there is of the receipt. */
function RelatedPanel({ receiptId }: { receiptId: string }) {
  return (
    <section class="panel">
      <h2>{messages.value.related}</h2>
      <p class="related">
        <RelatedLinks kind="receipts" id={receiptId} />
      </p>
    </section>
  )
}

interface AttemptedCard {
  readonly cardId: string
  readonly number: string
}

/** The cards a payment was attempted with, each once, in the order of the first attempt. */
function attemptedCards(operations: ReceiptDetails['operations']): AttemptedCard[] {
  const cards = operations.filter(({ cardId }) => cardId !== '').map(({ cardId, number }) => [cardId, { cardId, number }] as const)
  return [...new Map(cards).values()]
}

interface ReceiptSummaryProps extends Pick<ReceiptDetails, 'receipt'> {
  readonly attempted: readonly AttemptedCard[]
  readonly actions: readonly ReceiptAction[]
  /** What the user has just done. */
  readonly started: StartedAction | null
  readonly onAction: (action: ReceiptAction) => void
}

function ReceiptSummary({ receipt, attempted, actions, started, onAction }: ReceiptSummaryProps) {
  const text = receiptPageText.current()
  const actionText = receiptActionText.current()
  const { receiptId, status, amountTiyin, takenTiyin, number, cardId, description, reason, createdAt, paidAt, cancelTime } = receipt
  const { capturedTiyin, refundedTiyin, order, customer } = receipt
  const rows = [
    [text.id, <CopyButton text={receiptId} />],
    [text.capturedOrHeld, takenTiyin === amountTiyin || takenTiyin === 0 ? null : <Money tiyin={takenTiyin} />],
    [text.captured, capturedTiyin === 0 ? null : <Money tiyin={capturedTiyin} />],
    [text.refunded, refundedTiyin === 0 ? null : <Money tiyin={refundedTiyin} />],
    [text.order, order === '' ? null : order],
    [text.customer, customer === null || customer === '' ? null : <CustomerLink customer={customer} />],
    [text.card, cardId === '' ? attempted.length === 0 ? '—' : null : <CardLink cardId={cardId} number={number} />],
    [
      text.attemptedCards,
      cardId === '' && attempted.length > 0
        ? attempted.map((card) => (
            <div key={card.cardId}>
              <CardLink {...card} />
            </div>
          ))
        : null,
    ],
    [text.description, description === '' ? '—' : description],
    [text.failureReason, reason === null ? null : <ReasonText reason={reason} />],
    [text.created, <Time at={createdAt} />],
    [text.paidAt, paidAt === 0 ? null : <Time at={paidAt} />],
    [
      status === 'refunded' ? text.refundedAt : status === 'voided' ? text.voidedAt : text.cancelledAt,
      cancelTime === 0 ? null : <Time at={cancelTime} />,
    ],
    [text.account, receipt.account === '[]' ? null : <JsonDetails json={receipt.account} />],
    [text.payer, receipt.payer === null ? null : <JsonDetails json={receipt.payer} />],
    [text.fiscal, receipt.fiscal === null ? null : <JsonDetails json={receipt.fiscal} />],
  ] as const
  return (
    <section class="panel">
      <h2>
        <ReceiptStatusTag status={status} />
      </h2>
      <p class="amount-large">
        <Money tiyin={amountTiyin} />
      </p>
      <DetailList details={rows} />
      <p role="status">{started === null ? '' : describeProgress(started, receipt)}</p>
      {hasRole('support') && actions.length > 0 && (
        <div class="actions">
          {actions.map((action) => (
            <button key={action} type="button" class={action === 'capture' ? 'main' : ''} onClick={() => onAction(action)}>
              {actionText[action].button}
            </button>
          ))}
        </div>
      )}
    </section>
  )
}

function describeProgress({ action, isFoundOut }: StartedAction, receipt: ReceiptDetails['receipt']): string {
  const text = receiptActionText.current()
  const progress = progressOf(action, receipt)
  const message = progress === 'review' ? text.review : text[action][progress]
  return isFoundOut ? `${text.foundOut} ${message}` : message
}

function NetworkOperations({ operations }: Pick<ReceiptDetails, 'operations'>) {
  const text = receiptPageText.current()
  return (
    <section class="panel">
      <h2>{text.networkOperations}</h2>
      {operations.length === 0 && <p>{text.noOperations}</p>}
      <ol class="timeline">
        {operations.map(({ kind, amountTiyin, state, reason, rawCode, requestedAt, cardId, number }) => (
          <li key={`${requestedAt} ${kind}`}>
            <strong>{text.operations[kind] ?? kind}</strong> <Money tiyin={amountTiyin} />{' '}
            <Tag tone={state === 'approved' ? 'green' : state === 'declined' ? 'red' : 'amber'}>{text.operations[state] ?? state}</Tag>
            {reason !== '' && <ReasonText reason={reason} />} {rawCode !== '' && <code>{rawCode}</code>}
            <small>
              <Time at={requestedAt} /> {cardId !== '' && <CardLink cardId={cardId} number={number} />}
            </small>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Timeline({ timeline }: Pick<ReceiptDetails, 'timeline'>) {
  const text = receiptPageText.current()
  const labels = auditLabelText.current()
  return (
    <section class="panel">
      <h2>{text.history}</h2>
      <ol class="timeline">
        {timeline.map(({ at, what, outcome, actor, name, phone, requestId, reason, note }) => (
          <li key={`${at} ${what} ${outcome}`}>
            <strong>{actionLabel({ what, outcome, actor }, labels)}</strong>
            {!isOutcomeInAction({ what, outcome }) && <span>{outcomeLabel(outcome, labels)}</span>}
            {(reason !== null || note !== null) && (
              <span class="remark">
                {[reason === null ? null : labelOf(labels.reasons, reason), note].filter((each) => each !== null).join(' · ')}
              </span>
            )}
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

/** A network takes seconds; the worker that asks it has its own times. */
const followIntervalMs = 1500
