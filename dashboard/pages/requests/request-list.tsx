import { useSignal } from '@preact/signals'
import type { MethodName, Result } from '@tessera/contract/methods'
import { useCallback } from 'preact/hooks'

import { call } from '../../app/call.ts'
import { words, wordsOf } from '../../app/language.ts'
import { useLive } from '../../app/live.ts'
import { go, pathOf, place } from '../../app/router.ts'
import { Choice } from '../../parts/choice.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Labelled } from '../../parts/labelled.tsx'
import { useRows } from '../../parts/rows.ts'
import { Table, type Column } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useTyped } from '../../parts/typed.ts'
import { askOf, pathOfFilter, readFilter, type Filter, type FilterName } from './filter.ts'
import { Named } from './named-filters.tsx'
import { Outcome } from './outcome.tsx'
import { requestWords } from './request-words.ts'
import './requests.css'

type Entry = Result<'dashboard.requests.list'>['requests'][number]

/** The merchant's calls, newest first, by the filter that stands in the address. */
export function RequestList() {
  const text = wordsOf(requestWords)
  const filter = readFilter(place.value.query)
  const isLive = useSignal(false)
  const rows = useRows(pathOfFilter(filter), async (after) => {
    const { requests, next } = await call('dashboard.requests.list', { ...askOf(filter), after })
    return { rows: requests, next }
  })
  const again = useCallback(() => {
    if (isLive.value) rows.renew(keyOf)
  }, [rows])
  useLive(again, liveMs)
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <p class="about">{text.about}</p>
      <Filters filter={filter} />
      <Named filter={filter} />
      <div class="tools">
        <label class="check">
          <input type="checkbox" checked={isLive.value} onChange={() => (isLive.value = !isLive.value)} />
          {text.live}
        </label>
      </div>
      <Table
        {...{ label: text.label, rows, columns: columns() }}
        keyOf={keyOf}
        empty={<Empty {...(isFiltered ? text.noneFound : text.none)} />}
      />
    </>
  )
}

function keyOf({ requestId, lost }: Entry): string {
  return `${requestId}${lost === null ? '' : ' lost'}`
}

function Filters({ filter }: { filter: Filter }) {
  const text = wordsOf(requestWords)
  const wanted = useTyped<Filter>(filter, pathOfFilter(filter))
  const asksMore = ['code', 'request', 'card', 'from', 'to'].some((name) => name in filter)
  const isOpened = useSignal(asksMore)
  const isMore = isOpened.value || asksMore
  const set = (name: FilterName) => (value: string) => (wanted.value = { ...wanted.value, [name]: value })
  const field = (name: FilterName, more: { type?: 'text' | 'datetime-local'; list?: readonly (readonly [string, string])[] } = {}) => (
    <FilterField {...{ name: text.fields[name], value: wanted.value[name] ?? '', onInput: set(name), ...more }} />
  )
  return (
    <form
      class="tools requests-filter"
      onSubmit={(event) => {
        event.preventDefault()
        go(pathOfFilter(wanted.value))
      }}
    >
      {field('method', { list: methodNames.map((name) => [name, name]) })}
      {field('outcome', {
        list: [
          ['ok', text.ok],
          ['error', text.error],
        ],
      })}
      {isMore && (
        <>
          {field('code')}
          {field('request')}
          {field('card')}
          {field('from', { type: 'datetime-local' })}
          {field('to', { type: 'datetime-local' })}
        </>
      )}
      <button type="submit">{text.find}</button>
      {!isMore && (
        <button type="button" class="quiet" onClick={() => (isOpened.value = true)}>
          {text.moreFilters}
        </button>
      )}
      {Object.keys(filter).length > 0 && <a href={pathOf('requests')}>{text.clear}</a>}
    </form>
  )
}

interface FilterFieldProps {
  readonly name: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: 'text' | 'datetime-local'
  readonly list?: readonly (readonly [string, string])[]
}

function FilterField({ name, value, onInput, type = 'text', list }: FilterFieldProps) {
  if (list !== undefined) return <Choice {...{ label: name, value, onChange: onInput }} options={[['', '—'], ...list]} />
  return (
    <Labelled label={name}>
      {(id) =>
        type === 'text' ? (
          <input {...{ id, value }} maxLength={128} onInput={(event) => onInput(event.currentTarget.value)} />
        ) : (
          <input {...{ id, value }} type="datetime-local" onInput={(event) => onInput(event.currentTarget.value)} />
        )
      }
    </Labelled>
  )
}

function columns(): Column<Entry>[] {
  const text = wordsOf(requestWords)
  return [
    {
      name: text.method,
      show: ({ requestId, method, lost }) =>
        lost === null ? (
          <a href={pathOf(`requests/${requestId}`)}>
            <code>{method ?? text.noMethod}</code>
          </a>
        ) : (
          <strong>
            {text.lost(lost.count)} <Time at={lost.from} />
          </strong>
        ),
    },
    { name: text.outcome, show: ({ lost, ...entry }) => (lost === null ? <Outcome {...entry} /> : '') },
    { name: text.at, show: ({ at }) => <Time at={at} /> },
    { name: words.value.ms, show: ({ ms, lost }) => (lost === null ? Math.round(ms) : ''), isNumber: true, isMinor: true },
    { name: text.caller, show: ({ caller, lost }) => (lost === null ? text.callers[caller] : ''), isMinor: true },
    {
      name: text.card,
      show: ({ cardId }) => (cardId === '' ? '' : <a href={pathOf(`cards/${cardId}`)}>{cardId.slice(-8)}</a>),
      isMinor: true,
    },
  ]
}

const methodNames = [
  'cards.create',
  'cards.get_verify_code',
  'cards.verify',
  'cards.check',
  'cards.remove',
  'receipts.create',
  'receipts.pay',
  'receipts.send',
  'receipts.cancel',
  'receipts.check',
  'receipts.get',
  'receipts.get_all',
  'receipts.confirm_hold',
  'receipts.set_fiscal_data',
  'form.sessions.create',
  'form.sessions.get',
  'form.sessions.show',
  'form.sessions.cancel',
] as const satisfies readonly MethodName[]
const liveMs = 2000
