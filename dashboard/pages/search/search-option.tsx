import { ReasonText } from '../../components/reason.tsx'
import { Money, Tag, Time, type Tone } from '../../components/values.tsx'
import { searchText } from '../../messages/page-texts.ts'
import { CardStateTag } from '../cards/card-state.tsx'
import { ReceiptStatusTag } from '../receipts/receipt-status.tsx'
import type { SearchResult, SearchOption } from './search-results.ts'

/** One result: what it is on the left, when on the right. */
export function SearchOptionText({ option }: { option: SearchOption }) {
  const text = searchText.current()
  switch (option.kind) {
    case 'receipt': {
      const { amountTiyin, status, order, reason, createdAt, receiptId } = option.receipt
      return (
        <>
          <strong>
            <Money tiyin={amountTiyin} />
          </strong>
          <ReceiptStatusTag status={status} />
          <span class="search-more search-order">{order === '' ? <code>{receiptId}</code> : order}</span>
          {status === 'failed' && reason !== null && (
            <span class="search-more">
              <ReasonText reason={reason} isPlain />
            </span>
          )}
          <When at={createdAt} />
        </>
      )
    }
    case 'card':
      return (
        <>
          <strong class="mask">{option.card.number === '' ? option.card.cardId : option.card.number}</strong>
          <CardStateTag card={option.card} />
          <span class="search-more">{option.card.customer}</span>
          <When at={option.card.createdAt} />
        </>
      )
    case 'customer':
      return <strong>{option.customer}</strong>
    case 'request': {
      const { method, reason, at } = option.request
      return (
        <>
          <strong>
            <code>{method ?? '—'}</code>
          </strong>
          {reason === '' ? <Tag tone="green">{text.succeeded}</Tag> : <ReasonText reason={reason} isPlain />}
          <When at={at} />
        </>
      )
    }
    case 'message': {
      const { phone, purpose, outcome, failure, at } = option.message
      return (
        <>
          <strong>{phone}</strong>
          <span>{text.purposes[purpose]}</span>
          <Tag tone={tones[outcome]}>{text.outcomes[outcome]}</Tag>
          {failure !== null && <span class="search-more search-why">{text.failures[failure]}</span>}
          <When at={at} />
        </>
      )
    }
    case 'page':
      return <strong>{option.label}</strong>
  }
}

function When({ at }: { at: number }) {
  return (
    <small>
      <Time at={at} isShort />
    </small>
  )
}

const tones: Readonly<Record<SearchResult['messages'][number]['outcome'], Tone>> = {
  requested: 'grey',
  accepted: 'blue',
  delivered: 'green',
  failed: 'red',
  unknown: 'amber',
}
