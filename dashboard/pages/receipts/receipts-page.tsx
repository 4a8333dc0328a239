import { useSignal } from '@preact/signals'
import type { Params, Result } from '@tessera/contract/operations'
import { receiptStates } from '@tessera/contract/receipt'

import { call } from '../../app/api.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { navigate, dashboardPath, route } from '../../app/router.ts'
import { SelectField, LabelledControl, useSyncedValue } from '../../components/fields.tsx'
import { dayRange } from '../../format/time.ts'
import { EmptyState, ErrorMessage } from '../../components/query-result.tsx'
import { ReasonText } from '../../components/reason.tsx'
import { type TableColumn, DataTable } from '../../components/table.tsx'
import { Money, Time } from '../../components/values.tsx'
import { downloadCsv, toIsoTime } from '../../format/csv.ts'
import { useAction } from '../../hooks/use-action.ts'
import { collectPages } from '../../hooks/list-pages.ts'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { reasonText, receiptPageText } from '../../messages/page-texts.ts'
import { ReceiptDetail } from './receipt-detail.tsx'
import { ReceiptStateTag } from './receipt-state.tsx'

/** The list at /dashboard/receipts, and one receipt at /dashboard/receipts/<id>. */
export function ReceiptsPage() {
  const [receiptId] = route.value.rest
  return receiptId === undefined ? <ReceiptList /> : <ReceiptDetail receiptId={receiptId} />
}

type ReceiptRow = Result<'dashboard.receipts.list'>['receipts'][number]

/** The merchant's receipts, newest first, filtered by the days and the state in the address. */
export function ReceiptList() {
  const { query } = route.value
  const [fromDay, toDay] = [query.get('from') ?? '', query.get('to') ?? '']
  const [from, to] = [useSyncedValue(fromDay), useSyncedValue(toDay)]
  const state = states.find((each) => String(each) === query.get('state'))
  const filter: ReceiptFilter = { ...dayRange(fromDay, toDay), ...(state === undefined ? {} : { state }) }
  const show = (wantedState: string): void => navigate(`receipts?from=${from.value}&to=${to.value}&state=${wantedState}`)
  const list = usePagedList(`${fromDay} ${toDay} ${state ?? ''}`, async (after) => {
    const { receipts, next } = await call('dashboard.receipts.list', { ...filter, after })
    return { rows: receipts, next }
  })
  const loading = useMessages(receiptPageText, reasonText)
  if (loading !== null) return loading
  const text = receiptPageText.current()
  return (
    <>
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault()
          show(String(state ?? ''))
        }}
      >
        <DayField label={text.from} value={from.value} onInput={(day) => (from.value = day)} />
        <DayField label={text.to} value={to.value} onInput={(day) => (to.value = day)} />
        <SelectField
          label={text.state}
          value={String(state ?? '')}
          onChange={show}
          options={[['', text.all], ...states.map((each) => [String(each), text.states[each] ?? String(each)] as const)]}
        />
        <button type="submit">{text.show}</button>
      </form>
      <DataTable
        label={text.label}
        list={list}
        columns={columns()}
        keyOf={({ receiptId }) => receiptId}
        empty={<EmptyState {...text.none} />}
      />
      <ExportButton filter={filter} />
    </>
  )
}

function DayField({ label, value, onInput }: { label: string; value: string; onInput: (day: string) => void }) {
  return (
    <LabelledControl label={label}>
      {(id) => <input id={id} type="date" value={value} onInput={(event) => onInput(event.currentTarget.value)} />}
    </LabelledControl>
  )
}

type ReceiptFilter = Pick<Params<'dashboard.receipts.list'>, 'from' | 'to' | 'state'>

function columns(): TableColumn<ReceiptRow>[] {
  const text = receiptPageText.current()
  return [
    { name: text.id, render: ({ receiptId }) => <a href={dashboardPath(`receipts/${receiptId}`)}>{receiptId.slice(-8)}</a> },
    {
      name: text.state,
      render: ({ state, flagged, reason }) => (
        <>
          <ReceiptStateTag state={state} isFlagged={flagged} />
          {reason !== null && (
            <div>
              <ReasonText reason={reason} />
            </div>
          )}
        </>
      ),
    },
    { name: text.amount, render: ({ amountTiyin }) => <Money tiyin={amountTiyin} />, isNumber: true },
    { name: text.card, render: ({ number }) => (number === '' ? '—' : <span class="mask">{number}</span>), isMinor: true },
    { name: text.description, render: ({ description }) => description, isMinor: true },
    { name: text.created, render: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

/** Exports the filtered list, fetched page by page. */
function ExportButton({ filter }: { filter: ReceiptFilter }) {
  const text = receiptPageText.current()
  const status = useSignal('')
  const { isBusy, error, run } = useAction()
  const save = async (): Promise<void> => {
    status.value = ''
    const { rows, isComplete } = await collectPages(async (after) => {
      const { receipts, next } = await call('dashboard.receipts.list', { ...filter, after, count: 100 })
      return { rows: receipts, next }
    }, maxReceipts)
    status.value = formatMessage(isComplete ? text.exported : text.exportedFirst, rows.length)
    downloadCsv('receipts.csv', head, rows.map(toCsvRow))
  }
  return (
    <>
      <p>
        <button type="button" disabled={isBusy.value} onClick={() => void run(save)}>
          {text.csv}
        </button>
      </p>
      <p role="status">{status.value}</p>
      <ErrorMessage error={error.value} />
    </>
  )
}

const head = ['receiptId', 'state', 'amountTiyin', 'takenTiyin', 'card', 'cardId', 'description', 'reason', 'createdAt']

function toCsvRow(receipt: ReceiptRow): (string | number | null)[] {
  const { receiptId, state, amountTiyin, takenTiyin, number, cardId, description, reason, createdAt } = receipt
  return [receiptId, state, amountTiyin, takenTiyin, number, cardId, description, reason, toIsoTime(createdAt)]
}

const { created, checking, debiting, awaitingMerchant, paid, holding, held, unknown, returning, cancelled } = receiptStates
/** In the order in which a receipt goes through them. */
const states = [created, checking, debiting, awaitingMerchant, paid, holding, held, unknown, returning, cancelled] as const
const maxReceipts = 10_000
