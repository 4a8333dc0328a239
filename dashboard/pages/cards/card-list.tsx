import type { Result } from '@tessera/contract/methods'

import { call } from '../../app/call.ts'
import { wordsOf } from '../../app/language.ts'
import { go, pathOf, place } from '../../app/router.ts'
import { Empty } from '../../parts/empty.tsx'
import { Field } from '../../parts/field.tsx'
import { useRows } from '../../parts/rows.ts'
import { Table, type Column } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { useTyped } from '../../parts/typed.ts'
import { cardWords } from './card-words.ts'
import { CardState } from './card-state.tsx'

type Card = Result<'dashboard.cards.list'>['cards'][number]

/** The merchant's cards, newest first, with a search that stands in the address. */
export function CardList() {
  const text = wordsOf(cardWords)
  const search = place.value.query.get('search') ?? ''
  const typed = useTyped(search)
  const rows = useRows(search, async (after) => {
    const { cards, next } = await call('dashboard.cards.list', { search, after })
    return { rows: cards, next }
  })
  return (
    <>
      <form
        class="tools"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          go(typed.value.trim() === '' ? 'cards' : `cards?search=${encodeURIComponent(typed.value.trim())}`)
        }}
      >
        <Field
          {...{ label: text.search, type: 'search', value: typed.value, hint: text.searchHint, maxLength: 128 }}
          onInput={(value) => (typed.value = value)}
        />
        <button type="submit">{text.find}</button>
      </form>
      <Table
        label={text.label}
        rows={rows}
        columns={columns()}
        keyOf={({ cardId }) => cardId}
        empty={search === '' ? <Empty {...text.none} /> : <Empty {...text.notFound} />}
      />
    </>
  )
}

function columns(): Column<Card>[] {
  const text = wordsOf(cardWords)
  return [
    { name: text.number, show: ({ cardId, number }) => <a href={pathOf(`cards/${cardId}`)}>{number === '' ? cardId : number}</a> },
    { name: text.state, show: (card) => <CardState card={card} /> },
    {
      name: text.kept,
      show: ({ recurrent, state }) =>
        state === 'tampered' ? '—' : <Tag tone={recurrent ? 'blue' : 'grey'}>{recurrent ? text.recurrent : text.once}</Tag>,
      isMinor: true,
    },
    { name: text.customer, show: ({ customer }) => customer ?? '—', isMinor: true },
    { name: text.created, show: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}
