import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'
import { receiptStates } from '@tessera/contract/receipt'

import { useAsk } from '../../app/ask.ts'
import { call } from '../../app/call.ts'
import { wordsOf } from '../../app/language.ts'
import { pathOf } from '../../app/router.ts'
import { may } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Copy } from '../../parts/copy.tsx'
import { FactList } from '../../parts/fact-list.tsx'
import { GivenFacts } from '../../parts/given-facts.tsx'
import { Money } from '../../parts/money.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { actorName } from '../../words/actor-names.ts'
import { auditLabel } from '../../words/audit-labels.ts'
import { ReceiptState } from './receipt-state.tsx'
import { receiptWords } from './receipt-words.ts'

type Found = Result<'dashboard.receipts.get'>

/** One receipt: what it is, what the network answered, and all that became of it. */
export function ReceiptDetail({ receiptId }: { receiptId: string }) {
  const text = wordsOf(receiptWords)
  const asked = useAsk('dashboard.receipts.get', { receiptId })
  const deed = useSignal<'cancel' | 'confirm' | null>(null)
  const close = (): void => void (deed.value = null)
  return (
    <>
      <p>
        <a href={pathOf('receipts')}>← {text.back}</a>
      </p>
      <Answer asked={asked}>
        {(found) => (
          <div class="columns">
            <Facts receipt={found.receipt} tried={triedOf(found.operations)} onDeed={(wanted) => (deed.value = wanted)} />
            <Answers operations={found.operations} />
            <Timeline timeline={found.timeline} />
          </div>
        )}
      </Answer>
      {deed.value === 'cancel' && (
        <Confirm
          {...{ title: text.cancelTitle, text: text.cancelText, deed: text.cancel, onClose: close }}
          onDeed={async () => {
            await call('dashboard.receipts.cancel', { receiptId })
            asked.again()
          }}
        />
      )}
      {deed.value === 'confirm' && (
        <Confirm
          {...{ title: text.confirmTitle, text: text.confirmText, deed: text.confirm, onClose: close }}
          onDeed={async () => {
            await call('dashboard.receipts.confirm', { receiptId })
            asked.again()
          }}
        />
      )}
    </>
  )
}

interface TriedCard {
  readonly cardId: string
  readonly number: string
}

/** The cards that were to pay, each once, in the order of their first try. */
function triedOf(operations: Found['operations']): TriedCard[] {
  const cards = operations.filter(({ cardId }) => cardId !== '').map(({ cardId, number }) => [cardId, { cardId, number }] as const)
  return [...new Map(cards).values()]
}

function CardLink({ card: { cardId, number } }: { card: TriedCard }) {
  return <a href={pathOf(`cards/${cardId}`)}>{number === '' ? cardId : number}</a>
}

interface FactsProps extends Pick<Found, 'receipt'> {
  readonly tried: readonly TriedCard[]
  readonly onDeed: (deed: 'cancel' | 'confirm') => void
}

function Facts({ receipt, tried, onDeed }: FactsProps) {
  const text = wordsOf(receiptWords)
  const { receiptId, state, flagged, amountTiyin, takenTiyin, number, cardId, description, reason, createdAt, payTime, cancelTime } =
    receipt
  const facts = [
    [text.id, <Copy text={receiptId} />],
    [text.sum, <Money tiyin={amountTiyin} />],
    [text.taken, <Money tiyin={takenTiyin} />],
    [text.card, cardId === '' ? tried.length === 0 ? '—' : null : <CardLink card={{ cardId, number }} />],
    [
      text.tried,
      cardId === '' && tried.length > 0
        ? tried.map((card) => (
            <div key={card.cardId}>
              <CardLink card={card} />
            </div>
          ))
        : null,
    ],
    [text.description, description === '' ? '—' : description],
    [text.why, reason === null ? null : <code>{reason}</code>],
    [text.created, <Time at={createdAt} />],
    [text.paidAt, payTime === 0 ? null : <Time at={payTime} />],
    [text.cancelledAt, cancelTime === 0 ? null : <Time at={cancelTime} />],
    [text.account, receipt.account === '[]' ? null : <GivenFacts json={receipt.account} />],
    [text.payer, receipt.payer === null ? null : <GivenFacts json={receipt.payer} />],
    [text.fiscal, receipt.fiscal === null ? null : <GivenFacts json={receipt.fiscal} />],
  ] as const
  return (
    <section class="panel">
      <h2>
        <Money tiyin={amountTiyin} />
      </h2>
      <ReceiptState state={state} isFlagged={flagged} />
      <FactList facts={facts} />
      {may('support') && state === receiptStates.held && (
        <button type="button" class="main" onClick={() => onDeed('confirm')}>
          {text.confirm}
        </button>
      )}{' '}
      {may('support') && cancellable.includes(state) && (
        <button type="button" class="danger" onClick={() => onDeed('cancel')}>
          {text.cancel}
        </button>
      )}
    </section>
  )
}

/** What a person may cancel; what is on its way is settled first. */
const cancellable: readonly number[] = [receiptStates.created, receiptStates.paid, receiptStates.held]

function Answers({ operations }: Pick<Found, 'operations'>) {
  const text = wordsOf(receiptWords)
  return (
    <section class="panel">
      <h2>{text.network}</h2>
      {operations.length === 0 && <p>{text.noOperations}</p>}
      <ol class="timeline">
        {operations.map(({ kind, amountTiyin, state, reason, rawCode, askedAt, cardId, number }) => (
          <li key={`${askedAt} ${kind}`}>
            <strong>{text.operations[kind] ?? kind}</strong> <Money tiyin={amountTiyin} />{' '}
            <Tag tone={state === 'approved' ? 'green' : state === 'declined' ? 'red' : 'amber'}>{text.operations[state] ?? state}</Tag>
            {reason !== '' && <code>{reason}</code>} {rawCode !== '' && <code>{rawCode}</code>}
            <small>
              <Time at={askedAt} /> {cardId !== '' && <CardLink card={{ cardId, number }} />}
            </small>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Timeline({ timeline }: Pick<Found, 'timeline'>) {
  const text = wordsOf(receiptWords)
  return (
    <section class="panel">
      <h2>{text.timeline}</h2>
      <ol class="timeline">
        {timeline.map(({ at, what, outcome, actor }) => (
          <li key={`${at} ${what} ${outcome}`}>
            <strong>{auditLabel(what)}</strong>
            <code>{outcome}</code>
            <small>
              <Time at={at} /> · {actorName(actor)}
            </small>
          </li>
        ))}
      </ol>
    </section>
  )
}
