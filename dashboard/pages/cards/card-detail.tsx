import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { useAsk } from '../../app/ask.ts'
import { call } from '../../app/call.ts'
import { wordsOf } from '../../app/language.ts'
import { pathOf } from '../../app/router.ts'
import { may } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Copy } from '../../parts/copy.tsx'
import { GivenFacts } from '../../parts/given-facts.tsx'
import { Money } from '../../parts/money.tsx'
import { Time } from '../../parts/time.tsx'
import { actorName } from '../../words/actor-names.ts'
import { auditLabel } from '../../words/audit-labels.ts'
import { ReceiptState } from '../receipts/receipt-state.tsx'
import { CardState } from './card-state.tsx'
import { cardWords } from './card-words.ts'

type Found = Result<'dashboard.cards.get'>

/** One card: what it is, what the cardholder agreed to, and all that happened to it. */
export function CardDetail({ cardId }: { cardId: string }) {
  const text = wordsOf(cardWords)
  const asked = useAsk('dashboard.cards.get', { cardId })
  const isRemoving = useSignal(false)
  return (
    <>
      <p>
        <a href={pathOf('cards')}>← {text.back}</a>
      </p>
      <Answer asked={asked}>
        {(found) => (
          <div class="columns">
            {found.card.state === 'tampered' ? (
              <Tampered card={found.card} />
            ) : (
              <Facts {...found} onRemove={() => (isRemoving.value = true)} />
            )}
            <Timeline timeline={found.timeline} />
          </div>
        )}
      </Answer>
      {isRemoving.value && (
        <Confirm
          {...{ title: text.removeTitle, text: text.removeText, deed: text.remove, onClose: () => (isRemoving.value = false) }}
          onDeed={async () => {
            await call('dashboard.cards.remove', { cardId })
            asked.again()
          }}
        />
      )}
    </>
  )
}

function Facts({ card, onRemove }: Found & { onRemove: () => void }) {
  const text = wordsOf(cardWords)
  const isThere = card.state === 'live' || card.state === 'expired'
  return (
    <section class="panel">
      <h2 class="mask">{card.number}</h2>
      <CardState card={card} />
      <dl>
        <dt>{text.cardId}</dt>
        <dd>
          <Copy text={card.cardId} />
        </dd>
        <dt>{text.expiry}</dt>
        <dd>{card.expire}</dd>
        <dt>{text.customer}</dt>
        <dd>{card.customer ?? '—'}</dd>
        <dt>{text.created}</dt>
        <dd>
          <Time at={card.createdAt} />
        </dd>
        <dt>{text.endsAt}</dt>
        <dd>
          <Time at={card.endedAt ?? card.endsAt} />
        </dd>
        <dt>{text.consent}</dt>
        <dd>{card.consent === null ? '—' : <GivenFacts json={card.consent} />}</dd>
        {card.account !== null && (
          <>
            <dt>{text.account}</dt>
            <dd>
              <GivenFacts json={card.account} />
            </dd>
          </>
        )}
      </dl>
      {isThere && may('support') && (
        <button type="button" class="danger" onClick={onRemove}>
          {text.remove}
        </button>
      )}
    </section>
  )
}

/** Nothing of what such a row says is believed, and nothing of it shown. */
function Tampered({ card }: Pick<Found, 'card'>) {
  const text = wordsOf(cardWords)
  return (
    <section class="panel">
      <h2>{text.label}</h2>
      <CardState card={card} />
      <p role="alert">{text.tampered}</p>
      <dl>
        <dt>{text.cardId}</dt>
        <dd>
          <Copy text={card.cardId} />
        </dd>
      </dl>
    </section>
  )
}

function Timeline({ timeline }: Pick<Found, 'timeline'>) {
  const text = wordsOf(cardWords)
  return (
    <section class="panel">
      <h2>{text.timeline}</h2>
      <ol class="timeline">
        {timeline.map(({ at, what, outcome, actor, receiptId, amountTiyin }) => (
          <li key={`${at} ${what} ${receiptId ?? ''} ${outcome}`}>
            <strong>{what === 'receipt' ? text.payment : auditLabel(what)}</strong>
            {what === 'receipt' ? <ReceiptState state={Number(outcome)} isFlagged={false} /> : <code>{outcome}</code>}
            {amountTiyin !== null && <Money tiyin={amountTiyin} />}
            {receiptId !== null && <a href={pathOf(`receipts/${receiptId}`)}>{text.receipt}</a>}
            <small>
              <Time at={at} /> · {actorName(actor)}
            </small>
          </li>
        ))}
      </ol>
    </section>
  )
}
