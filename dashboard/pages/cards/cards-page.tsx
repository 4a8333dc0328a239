import '../../app/common.ts'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { toExportConditions } from '../../app/export-conditions.ts'
import type { ExportSource } from '../../app/export-jobs.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { navigate, dashboardPath, route } from '../../app/router.ts'
import { ExportButtons } from '../../components/export-buttons.tsx'
import { SearchForm, useSyncedValue } from '../../components/fields.tsx'
import { CustomerLink } from '../../components/links.tsx'
import { exportPageRows, listExport } from '../../components/list-export.ts'
import { EmptyState } from '../../components/query-result.tsx'
import { type TableColumn, DataTable } from '../../components/table.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { cardPageText } from '../../messages/page-texts.ts'
import { CardDetail } from './card-detail.tsx'
import { CardStateTag, cardStateText } from './card-state.tsx'

/** The list at /dashboard/cards, and one card at /dashboard/cards/<id>. */
export function CardsPage() {
  const [cardId] = route.value.rest
  return cardId === undefined ? <CardList /> : <CardDetail key={cardId} cardId={cardId} />
}

type CardRow = Result<'dashboard.cards.list'>['cards'][number]

/** The merchant's cards, newest first. The search is part of the address. */
export function CardList() {
  const search = route.value.query.get('search') ?? route.value.hidden['search'] ?? ''
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
      <div class="list-head">
        <ExportButtons source={cardExport(search)} />
      </div>
      <SearchForm
        label={text.search}
        value={input.value}
        hint={text.searchHint}
        maxLength={128}
        onInput={(value) => (input.value = value)}
        action={text.find}
        onSearch={() => showCards(input.value.trim())}
      />
      <DataTable
        label={text.label}
        list={list}
        columns={columns()}
        keyOf={({ cardId }) => cardId}
        empty={search === '' ? <EmptyState {...text.none} /> : <EmptyState {...text.notFound} next="all" />}
      />
    </>
  )
}

/** Ids and masks stand in the address. Anything else may be what a customer is called, and stays in the history entry. */
function showCards(search: string): void {
  if (search === '') navigate('cards')
  else if (/^(?:[0-9a-f]{24}|(?:\d{0,8}[*•]+)?\d{4})$/.test(search)) navigate(`cards?search=${encodeURIComponent(search)}`)
  else navigate('cards', { hidden: { search } })
}

function cardExport(search: string): ExportSource {
  const text = cardPageText.current()
  return listExport<CardRow>({
    name: 'cards',
    title: text.label,
    list: 'cards',
    conditions: toExportConditions({ search }, ['search']),
    columns: [
      { name: text.number, value: ({ number }) => number },
      { name: text.state, value: cardStateText },
      { name: text.saved, value: ({ recurrent, state }) => (state === 'tampered' ? null : recurrent ? text.recurrent : text.oneTime) },
      { name: text.customer, value: ({ customer }) => customer },
      { name: text.created, kind: 'time', value: ({ createdAt }) => createdAt },
      { name: text.cardId, value: ({ cardId }) => cardId },
    ],
    fetchPage: async (after) => {
      const { cards, next } = await call('dashboard.cards.list', { search, after, count: exportPageRows })
      return { rows: cards, next }
    },
  })
}

function columns(): TableColumn<CardRow>[] {
  const text = cardPageText.current()
  return [
    {
      name: text.number,
      render: ({ cardId, number }) => (
        <a href={dashboardPath(`cards/${cardId}`)} class="mask">
          {number === '' ? cardId : number}
        </a>
      ),
    },
    { name: text.state, render: (card) => <CardStateTag card={card} /> },
    {
      name: text.saved,
      render: ({ recurrent, state }) =>
        state === 'tampered' ? '—' : <Tag tone={recurrent ? 'blue' : 'grey'}>{recurrent ? text.recurrent : text.oneTime}</Tag>,
      isMinor: true,
    },
    { name: text.customer, render: ({ customer }) => <CustomerLink customer={customer} />, isMinor: true },
    { name: text.created, render: ({ createdAt }) => <Time at={createdAt} isShort /> },
  ]
}
