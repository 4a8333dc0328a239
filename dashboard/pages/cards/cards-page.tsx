import '../../app/common.ts'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { navigate, dashboardPath, route } from '../../app/router.ts'
import { SearchForm, useSyncedValue } from '../../components/fields.tsx'
import { CustomerLink } from '../../components/links.tsx'
import { EmptyState } from '../../components/query-result.tsx'
import { type TableColumn, DataTable } from '../../components/table.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { cardPageText } from '../../messages/page-texts.ts'
import { CardDetail } from './card-detail.tsx'
import { CardStateTag } from './card-state.tsx'

/** The list at /dashboard/cards, and one card at /dashboard/cards/<id>. */
export function CardsPage() {
  const [cardId] = route.value.rest
  return cardId === undefined ? <CardList /> : <CardDetail cardId={cardId} />
}

type CardRow = Result<'dashboard.cards.list'>['cards'][number]

/** The merchant's cards, newest first. The search is part of the address. */
export function CardList() {
  const search = route.value.query.get('search') ?? ''
  const input = useSyncedValue(search)
  const list = usePagedList(`cards ${search}`, async (after) => {
    const { cards, next } = await call('dashboard.cards.list', { search, after })
    return { rows: cards, next }
  })
  const loading = useMessages(cardPageText)
  if (loading !== null) return loading
  const text = cardPageText.current()
  return (
    <>
      <SearchForm
        label={text.search}
        value={input.value}
        hint={text.searchHint}
        maxLength={128}
        onInput={(value) => (input.value = value)}
        action={text.find}
        onSearch={() => navigate(input.value.trim() === '' ? 'cards' : `cards?search=${encodeURIComponent(input.value.trim())}`)}
      />
      <DataTable
        label={text.label}
        list={list}
        columns={columns()}
        keyOf={({ cardId }) => cardId}
        empty={search === '' ? <EmptyState {...text.none} /> : <EmptyState {...text.notFound} />}
      />
    </>
  )
}

function columns(): TableColumn<CardRow>[] {
  const text = cardPageText.current()
  return [
    { name: text.number, render: ({ cardId, number }) => <a href={dashboardPath(`cards/${cardId}`)}>{number === '' ? cardId : number}</a> },
    { name: text.state, render: (card) => <CardStateTag card={card} /> },
    {
      name: text.saved,
      render: ({ recurrent, state }) =>
        state === 'tampered' ? '—' : <Tag tone={recurrent ? 'blue' : 'grey'}>{recurrent ? text.recurrent : text.oneTime}</Tag>,
      isMinor: true,
    },
    { name: text.customer, render: ({ customer }) => <CustomerLink customer={customer} />, isMinor: true },
    { name: text.created, render: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}
