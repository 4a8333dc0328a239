import '../../app/common.ts'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { dashboardPath, navigate, route } from '../../app/router.ts'
import { SearchForm, useSyncedValue } from '../../components/fields.tsx'
import { CustomerLink } from '../../components/links.tsx'
import { EmptyState } from '../../components/query-result.tsx'
import { DataTable, type TableColumn } from '../../components/table.tsx'
import { Time } from '../../components/values.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { customerPageText } from '../../messages/page-texts.ts'
import { CustomerDetail } from './customer-detail.tsx'

/** The list at /dashboard/customers, and one customer, whose id is kept in the history entry: it may be a phone or an e-mail address. */
export function CustomersPage() {
  const customer = route.value.hidden['customer'] ?? ''
  return customer === '' ? <CustomerList /> : <CustomerDetail key={customer} customer={customer} />
}

type CustomerRow = Result<'dashboard.customers.list'>['customers'][number]

function CustomerList() {
  const input = useSyncedValue('')
  const list = usePagedList('customers', async (after) => {
    const { customers, next } = await call('dashboard.customers.list', { after })
    return { rows: customers, next }
  })
  const loading = useMessages(customerPageText)
  if (loading !== null) return loading
  const text = customerPageText.current()
  return (
    <>
      <p>{text.about}</p>
      <SearchForm
        label={text.search}
        value={input.value}
        hint={text.searchHint}
        maxLength={128}
        onInput={(value) => (input.value = value)}
        action={text.find}
        onSearch={() => {
          const customer = input.value.trim()
          if (customer !== '') navigate('customers', { hidden: { customer } })
        }}
      />
      <DataTable
        label={text.label}
        list={list}
        columns={columns()}
        keyOf={({ newestCard }) => newestCard.cardId}
        empty={<EmptyState {...text.none} />}
      />
    </>
  )
}

function columns(): TableColumn<CustomerRow>[] {
  const text = customerPageText.current()
  return [
    { name: text.customer, render: ({ customer }) => <CustomerLink customer={customer} /> },
    { name: text.cards, render: ({ cards }) => (cards > countedMax ? formatMessage(text.moreThan, countedMax) : cards), isNumber: true },
    {
      name: text.newestCard,
      render: ({ newestCard: { cardId, number } }) => (
        <a href={dashboardPath(`cards/${cardId}`)} class="mask">
          {number}
        </a>
      ),
      isMinor: true,
    },
    { name: text.added, render: ({ newestCard }) => <Time at={newestCard.createdAt} /> },
  ]
}

const countedMax = 10
