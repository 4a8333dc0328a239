import { useSignal } from '@preact/signals'
import type { Params, Result } from '@tessera/contract/methods'
import { receiptStates } from '@tessera/contract/receipt'

import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { wordsOf } from '../../app/language.ts'
import { go, pathOf, place } from '../../app/router.ts'
import { collectPages } from '../../parts/all-pages.ts'
import { Choice } from '../../parts/choice.tsx'
import { downloadCsv, momentOf } from '../../parts/download.ts'
import { Empty } from '../../parts/empty.tsx'
import { Labelled } from '../../parts/labelled.tsx'
import { Money } from '../../parts/money.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { useRows } from '../../parts/rows.ts'
import { Table, type Column } from '../../parts/table.tsx'
import { readTime, Time } from '../../parts/time.tsx'
import { useTyped } from '../../parts/typed.ts'
import { ReceiptState } from './receipt-state.tsx'
import { receiptWords } from './receipt-words.ts'

type Receipt = Result<'dashboard.receipts.list'>['receipts'][number]

/** The merchant's receipts, newest first, of the days and the state that stand in the address. */
export function ReceiptList() {
  const text = wordsOf(receiptWords)
  const { query } = place.value
  const [fromDay, toDay] = [query.get('from') ?? '', query.get('to') ?? '']
  const [from, to] = [useTyped(fromDay), useTyped(toDay)]
  const state = states.find((each) => String(each) === query.get('state'))
  const span: Asked = { ...spanOf(fromDay, toDay), ...(state === undefined ? {} : { state }) }
  const show = (wanted: string): void => go(`receipts?from=${from.value}&to=${to.value}&state=${wanted}`)
  const rows = useRows(`${fromDay} ${toDay} ${state ?? ''}`, async (after) => {
    const { receipts, next } = await call('dashboard.receipts.list', { ...span, after })
    return { rows: receipts, next }
  })
  return (
    <>
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault()
          show(String(state ?? ''))
        }}
      >
        <Day label={text.from} value={from.value} onInput={(day) => (from.value = day)} />
        <Day label={text.to} value={to.value} onInput={(day) => (to.value = day)} />
        <Choice
          {...{ label: text.state, value: String(state ?? ''), onChange: show }}
          options={[['', text.all], ...states.map((each) => [String(each), text.states[each] ?? String(each)] as const)]}
        />
        <button type="submit">{text.find}</button>
      </form>
      <Table label={text.label} rows={rows} columns={columns()} keyOf={({ receiptId }) => receiptId} empty={<Empty {...text.none} />} />
      <Export span={span} />
    </>
  )
}

function Day({ label, value, onInput }: { label: string; value: string; onInput: (day: string) => void }) {
  return (
    <Labelled label={label}>
      {(id) => <input id={id} type="date" value={value} onInput={(event) => onInput(event.currentTarget.value)} />}
    </Labelled>
  )
}

type Asked = Pick<Params<'dashboard.receipts.list'>, 'from' | 'to' | 'state'>

/** Whole days in UTC+5, as receipts.get_all counts them; an empty end is open. */
function spanOf(fromDay: string, toDay: string): Asked {
  const [from, to] = [readTime(`${fromDay}T00:00`), readTime(`${toDay}T00:00`)]
  return { ...(Number.isNaN(from) ? {} : { from: Math.max(0, from) }), ...(Number.isNaN(to) ? {} : { to: Math.max(0, to + dayMs) }) }
}

function columns(): Column<Receipt>[] {
  const text = wordsOf(receiptWords)
  return [
    { name: text.id, show: ({ receiptId }) => <a href={pathOf(`receipts/${receiptId}`)}>{receiptId.slice(-8)}</a> },
    {
      name: text.state,
      show: ({ state, flagged, reason }) => (
        <>
          <ReceiptState state={state} isFlagged={flagged} />
          {reason !== null && (
            <div>
              <code>{reason}</code>
            </div>
          )}
        </>
      ),
    },
    { name: text.sum, show: ({ amountTiyin }) => <Money tiyin={amountTiyin} />, isNumber: true },
    { name: text.card, show: ({ number }) => (number === '' ? '—' : <span class="mask">{number}</span>), isMinor: true },
    { name: text.description, show: ({ description }) => description, isMinor: true },
    { name: text.created, show: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

/** The same days and state as a file, page by page. */
function Export({ span }: { span: Asked }) {
  const text = wordsOf(receiptWords)
  const said = useSignal('')
  const { isBusy, refused, run } = useDeed()
  const save = async (): Promise<void> => {
    said.value = ''
    const { all, isWhole } = await collectPages(async (after) => {
      const { receipts, next } = await call('dashboard.receipts.list', { ...span, after, count: 100 })
      return { rows: receipts, next }
    }, receiptsMax)
    said.value = isWhole ? text.exported(all.length) : text.exportedFirst(all.length)
    downloadCsv('receipts.csv', head, all.map(cellsOf))
  }
  return (
    <>
      <p>
        <button type="button" disabled={isBusy.value} onClick={() => void run(save)}>
          {text.csv}
        </button>
      </p>
      <p role="status">{said.value}</p>
      <Refusal refused={refused.value} />
    </>
  )
}

const head = ['receiptId', 'state', 'amountTiyin', 'takenTiyin', 'card', 'cardId', 'description', 'reason', 'createdAt']

function cellsOf(receipt: Receipt): (string | number | null)[] {
  const { receiptId, state, amountTiyin, takenTiyin, number, cardId, description, reason, createdAt } = receipt
  return [receiptId, state, amountTiyin, takenTiyin, number, cardId, description, reason, momentOf(createdAt)]
}

const { created, checking, debiting, closing, paid, holding, held, unknown, returning, cancelled } = receiptStates
/** In the order of a receipt's life. */
const states = [created, checking, debiting, closing, paid, holding, held, unknown, returning, cancelled] as const
const dayMs = 24 * 3_600_000
const receiptsMax = 10_000
