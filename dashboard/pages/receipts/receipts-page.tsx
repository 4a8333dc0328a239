import '../../app/common.ts'
import { useSignal } from '@preact/signals'
import { receiptStatuses, type ReceiptStatus } from '@tessera/contract/receipt-status'
import type { InputHTMLAttributes } from 'preact'

import { call } from '../../app/api.ts'
import { language, messages } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { useListTitle } from '../../app/object-title.ts'
import { navigate, dashboardPath, route } from '../../app/router.ts'
import { serviceNow } from '../../app/session-state.ts'
import { ExportButtons } from '../../components/export-buttons.tsx'
import { FilterBox, SelectField, LabelledControl, useSyncedValue } from '../../components/fields.tsx'
import { EmptyState } from '../../components/query-result.tsx'
import { DataTable } from '../../components/table.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { formatMessage, labelOf } from '../../messages/lookup.ts'
import { reasonText, receiptPageText } from '../../messages/page-texts.ts'
import { SavedViews } from '../../views/saved-views.tsx'
import { receiptColumns } from './receipt-columns.tsx'
import { DailyTotalsPage } from './daily-totals.tsx'
import { receiptExport } from './receipt-export.ts'
import { ReceiptDetail } from './receipt-detail.tsx'
import {
  hiddenPart,
  noFilter,
  paymentReasons,
  readReceiptFilter,
  receiptDates,
  type ReceiptFilter,
  receiptsPath,
  receiptViews,
  toReceiptListParams,
  withLocalAmounts,
} from './receipt-filter.ts'
import { ReceiptTabs, totalsSegment } from './receipt-tabs.tsx'

/** The list at /dashboard/receipts, the totals of days at /dashboard/receipts/totals, and one receipt at /dashboard/receipts/<id>. */
export function ReceiptsPage() {
  const [receiptId] = route.value.rest
  if (receiptId === totalsSegment) return <DailyTotalsPage />
  return receiptId === undefined ? <ReceiptList /> : <ReceiptDetail key={receiptId} receiptId={receiptId} />
}

function show(filter: ReceiptFilter): void {
  navigate(receiptsPath(filter), { hidden: hiddenPart(filter) })
}

const conditionNames = Object.keys(noFilter) as readonly (keyof ReceiptFilter)[]

/** The merchant's receipts, newest first, filtered by the address and, for what may not stand in one, by the history entry. */
export function ReceiptList() {
  const filter = readReceiptFilter(route.value)
  const key = JSON.stringify(filter)
  const typed = useSyncedValue(withLocalAmounts(filter, language.value), `${key} ${language.value}`)
  const unread = useSignal(0)
  const list = usePagedList(`receipts ${key}`, async (after) => {
    const { receipts, next, unreadEntries } = await call('dashboard.receipts.list', { ...toReceiptListParams(filter), after })
    unread.value = unreadEntries
    return { rows: receipts, next }
  })
  useListTitle(messages.value.pages.receipts, filter.card === '' ? null : { kind: 'cards', id: filter.card }, filter.customer)
  const loading = useMessages(receiptPageText, reasonText)
  if (loading !== null) return loading
  const text = receiptPageText.current()
  const active = conditionNames.filter((name) => filter[name] !== noFilter[name]).length
  const isFiltered = active > 0
  const type = (part: Partial<ReceiptFilter>): void => void (typed.value = { ...typed.value, ...part })
  return (
    <>
      <div class="list-head">
        <ReceiptTabs />
        <ExportButtons source={receiptExport(filter)} />
      </div>
      <Views current={key} />
      <FilterBox label={text.filters} active={active}>
        <form
          class="tools"
          onSubmit={(event) => {
            event.preventDefault()
            show(typed.value)
          }}
        >
          <SelectField
            label={text.status}
            value={typed.value.status}
            onChange={(status) => show({ ...typed.value, status: status as ReceiptStatus | '' })}
            options={[['', text.all], ...receiptStatuses.map((status) => [status, text.statuses[status]] as const)]}
          />
          <SelectField
            label={text.dateOf}
            value={typed.value.date}
            onChange={(chosen) => show({ ...typed.value, date: receiptDates.find((date) => date === chosen) ?? 'created' })}
            options={receiptDates.map((date) => [date, text.dates[date]] as const)}
          />
          <FilterInput label={text.from} type="date" value={typed.value.from} onInput={(from) => type({ from })} />
          <FilterInput label={text.to} type="date" value={typed.value.to} onInput={(to) => type({ to })} />
          <SelectField
            label={text.file.reason}
            value={typed.value.reason}
            onChange={(reason) => show({ ...typed.value, reason })}
            options={[['', text.all], ...reasonOptions(typed.value.reason)]}
          />
          <div class="pair">
            <FilterInput label={text.amountFrom} value={typed.value.amountFrom} onInput={(amountFrom) => type({ amountFrom })} />
            <FilterInput label={text.amountTo} value={typed.value.amountTo} onInput={(amountTo) => type({ amountTo })} />
          </div>
          <FilterInput label={text.orderNumber} type="search" value={typed.value.order} onInput={(order) => type({ order })} />
          <button type="submit">{text.show}</button>
          {isFiltered && (
            <button type="button" onClick={() => show(noFilter)}>
              {text.clear}
            </button>
          )}
        </form>
      </FilterBox>
      {filter.card !== '' && (
        <p>
          {text.card}: <a href={dashboardPath(`cards/${filter.card}`)}>{filter.card}</a>
        </p>
      )}
      {filter.customer !== '' && <p>{formatMessage(text.ofCustomer, filter.customer)}</p>}
      {unread.value > unreadNoticeMin && <p role="note">{formatMessage(text.preparing, unread.value)}</p>}
      <DataTable
        label={text.label}
        list={list}
        columns={receiptColumns(['status', 'amount', 'order', 'customer', 'card', timeColumns[filter.date], 'id'])}
        keyOf={({ receiptId }) => receiptId}
        empty={<EmptyState {...(isFiltered ? text.noTable : text.none)} next={isFiltered ? 'all' : 'start'} />}
      />
    </>
  )
}

/** Why payments are refused, in words, and what an address may name besides. */
function reasonOptions(current: string): (readonly [string, string])[] {
  const { all } = reasonText.current()
  const reasons = new Set<string>([...paymentReasons, ...(current === '' ? [] : [current])])
  return [...reasons].map((reason) => [reason, labelOf(all, reason)])
}

function Views({ current }: { current: string }) {
  const text = receiptPageText.current()
  return (
    <SavedViews list="receipts" query={route.value.query}>
      {receiptViews(serviceNow()).map(([name, filter]) => (
        <a key={name} href={dashboardPath(receiptsPath(filter))} aria-current={JSON.stringify(filter) === current ? 'true' : undefined}>
          {text.viewNames[name]}
        </a>
      ))}
    </SavedViews>
  )
}

interface FilterInputProps {
  readonly label: string
  readonly type?: 'text' | 'date' | 'search'
  readonly value: string
  readonly onInput: (value: string) => void
}

function FilterInput({ label, type = 'text', value, onInput }: FilterInputProps) {
  // InputHTMLAttributes is a union by input type, which a variable type cannot satisfy.
  const attributes = {
    type,
    ...(type === 'text'
      ? { inputMode: 'decimal', size: 10, pattern: '[\\d\\s]{1,17}([.,]\\d{1,2})?', title: '1 000 000,50' }
      : { maxLength: 64 }),
  } as InputHTMLAttributes
  return (
    <LabelledControl label={label}>
      {(id) => <input id={id} value={value} {...attributes} onInput={(event) => onInput(event.currentTarget.value)} />}
    </LabelledControl>
  )
}

const timeColumns = { created: 'time', paid: 'paidTime', refunded: 'refundTime' } as const
/** A few changes are always on their way; the list shows them a second later. */
const unreadNoticeMin = 1000
