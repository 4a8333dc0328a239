import '../../app/common.ts'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import type { ExportSource } from '../../app/export-jobs.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { hiddenMark } from '../../app/page-route.ts'
import { dashboardPath, navigate, route } from '../../app/router.ts'
import { ExportButtons } from '../../components/export-buttons.tsx'
import { SearchForm, useSyncedValue } from '../../components/fields.tsx'
import { CustomerLink } from '../../components/links.tsx'
import { listExport } from '../../components/list-export.ts'
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
      <div class="list-head">
        <p>{text.about}</p>
        <ExportButtons source={customerExport()} />
      </div>
      {route.value.query.has(hiddenMark) && (
        <p class="note" role="note">
          {text.hiddenLink}
        </p>
      )}
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

function customerExport(): ExportSource {
  const text = customerPageText.current()
  return listExport<CustomerRow>({
    name: 'customers',
    title: text.label,
    list: 'customers',
    conditions: [],
    columns: [
      { name: text.customer, value: ({ customer }) => customer },
      { name: text.cards, kind: 'integer', value: ({ cards }) => (cards > countedMax ? formatMessage(text.moreThan, countedMax) : cards) },
      { name: text.newestCard, value: ({ newestCard }) => newestCard.number },
      { name: text.added, kind: 'time', value: ({ newestCard }) => newestCard.createdAt },
    ],
    fetchPage: async (after) => {
      const { customers, next } = await call('dashboard.customers.list', { after })
      return { rows: customers, next }
    },
  })
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
    { name: text.added, render: ({ newestCard }) => <Time at={newestCard.createdAt} isShort /> },
  ]
}

const countedMax = 10
