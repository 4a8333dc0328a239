import '../../app/common.ts'
import { useSignal } from '@preact/signals'
import type { OperationName, Params, Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { toExportConditions } from '../../app/export-conditions.ts'
import type { ExportSource } from '../../app/export-jobs.ts'
import { messages } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { type ListSubject, useListTitle } from '../../app/object-title.ts'
import { navigate, dashboardPath, route } from '../../app/router.ts'
import { ExportButtons } from '../../components/export-buttons.tsx'
import { SelectField, LabelledControl, useSyncedValue } from '../../components/fields.tsx'
import { SubjectLink } from '../../components/links.tsx'
import { exportPageRows, listExport } from '../../components/list-export.ts'
import { EmptyState } from '../../components/query-result.tsx'
import { type TableColumn, DataTable } from '../../components/table.tsx'
import { Time } from '../../components/values.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { reasonText, requestPageText } from '../../messages/page-texts.ts'
import { SavedViews } from '../../views/saved-views.tsx'
import { RequestOutcome, RequestDetails } from './request-detail.tsx'
import {
  hiddenRequestFilter,
  readRequestLogFilter,
  requestFilterPath,
  type RequestLogFilter,
  type RequestLogFilterName,
  toListParams,
} from './request-filter.ts'

/** The list at /dashboard/requests, and one call at /dashboard/requests/<id>. */
export function RequestsPage() {
  const [requestId] = route.value.rest
  return requestId === undefined ? <RequestList /> : <RequestDetails key={requestId} requestId={requestId} />
}

type RequestRow = Result<'dashboard.requests.list'>['requests'][number]

/** The merchant's API calls, newest first. The filter is part of the address. */
export function RequestList() {
  const filter = readRequestLogFilter(route.value)
  const params = toListParams(filter)
  const list = usePagedList(`requests ${JSON.stringify(params)}`, async (after) => {
    const { requests, next } = await call('dashboard.requests.list', { ...params, after })
    return { rows: requests, next }
  })
  const subject = subjectOf(filter)
  useListTitle(messages.value.pages.requests, subject, filter.customer)
  const loading = useMessages(requestPageText, reasonText)
  if (loading !== null) return loading
  const text = requestPageText.current()
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <div class="list-head">
        <p class="about">{text.about}</p>
        <ExportButtons source={requestExport(params)} />
      </div>
      <SubjectLink subject={subject} />
      <Filters filter={filter} />
      <SavedViews list="requests" query={route.value.query} />
      <DataTable
        label={text.label}
        list={list}
        columns={columns()}
        keyOf={keyOf}
        empty={<EmptyState {...(isFiltered ? text.noneFound : text.none)} next={isFiltered ? 'all' : 'start'} />}
      />
    </>
  )
}

/** The card or the receipt whose calls are listed. */
function subjectOf({ card, receipt }: RequestLogFilter): ListSubject | null {
  const id = (receipt ?? card ?? '').trim().slice(0, 24)
  return /^[0-9a-f]{24}$/.test(id) ? { kind: receipt === undefined ? 'cards' : 'receipts', id } : null
}

function keyOf({ requestId, lost }: RequestRow): string {
  return `${requestId}${lost === null ? '' : ' lost'}`
}

function Filters({ filter }: { filter: RequestLogFilter }) {
  const text = requestPageText.current()
  const wanted = useSyncedValue<RequestLogFilter>(filter, JSON.stringify(filter))
  const hasMoreFilter = Object.keys(filter).some((name) => name !== 'method' && name !== 'outcome')
  const isExpanded = useSignal(hasMoreFilter)
  const showsMore = isExpanded.value || hasMoreFilter
  const set = (name: RequestLogFilterName) => (value: string) => (wanted.value = { ...wanted.value, [name]: value })
  const field = (name: RequestLogFilterName, more: Pick<FilterFieldProps, 'type' | 'list'> = {}) => (
    <FilterField name={text.fields[name]} value={wanted.value[name] ?? ''} onInput={set(name)} {...more} />
  )
  return (
    <form
      class="tools requests-filter"
      onSubmit={(event) => {
        event.preventDefault()
        navigate(requestFilterPath(wanted.value), { hidden: hiddenRequestFilter(wanted.value) })
      }}
    >
      {field('method', { list: operationNames.map((name) => [name, name]) })}
      {field('outcome', {
        list: [
          ['ok', text.ok],
          ['error', text.error],
        ],
      })}
      {showsMore && (
        <>
          {field('code')}
          {field('reason', { list: reasonOptions(wanted.value.reason) })}
          {field('order')}
          {field('customer')}
          {field('request')}
          {field('card')}
          {field('receipt')}
          {field('address', { list: Object.entries(text.addresses) })}
          {field('minMs', { type: 'number' })}
          {field('maxMs', { type: 'number' })}
          {field('from', { type: 'datetime-local' })}
          {field('to', { type: 'datetime-local' })}
        </>
      )}
      <button type="submit">{text.find}</button>
      {!showsMore && (
        <button type="button" class="quiet" onClick={() => (isExpanded.value = true)}>
          {text.moreFilters}
        </button>
      )}
      {Object.keys(filter).length > 0 && <a href={dashboardPath('requests')}>{text.clear}</a>}
    </form>
  )
}

/** Every reason by its text, and the present one where it has none. */
function reasonOptions(current = ''): (readonly [string, string])[] {
  const { all } = reasonText.current()
  const options = Object.entries(current === '' ? all : { [current]: current, ...all })
  return options.sort(([, one], [, other]) => one.localeCompare(other))
}

interface FilterFieldProps {
  readonly name: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: 'text' | 'number' | 'datetime-local'
  readonly list?: readonly (readonly [string, string])[]
}

function FilterField({ name, value, onInput, type = 'text', list }: FilterFieldProps) {
  if (list !== undefined)
    return <SelectField label={name} value={value} onChange={onInput} options={[['', requestPageText.current().all], ...list]} />
  return (
    <LabelledControl label={name}>
      {(id) => {
        const change = (event: { currentTarget: HTMLInputElement }): void => onInput(event.currentTarget.value)
        if (type === 'text') return <input id={id} value={value} maxLength={128} autocomplete="off" onInput={change} />
        return <input id={id} value={value} type={type} {...(type === 'number' ? { min: 0, max: durationMaxMs } : {})} onInput={change} />
      }}
    </LabelledControl>
  )
}

function requestExport(params: Params<'dashboard.requests.list'>): ExportSource {
  const text = requestPageText.current()
  const { all } = reasonText.current()
  return listExport<RequestRow>({
    name: 'requests',
    title: text.label,
    list: 'requests',
    conditions: toExportConditions(params, ['order', 'customer']),
    columns: [
      { name: text.at, kind: 'time', value: ({ at }) => at },
      {
        name: text.method,
        value: ({ method, lost }) => (lost === null ? (method ?? text.noMethod) : formatMessage(text.lost, lost.count)),
      },
      { name: text.fields.code, kind: 'integer', value: ({ code, lost }) => (lost === null ? code : null) },
      { name: text.outcome, value: ({ code, reason, lost }) => (lost !== null ? null : code === 0 ? text.ok : (all[reason] ?? reason)) },
      { name: messages.value.ms, kind: 'integer', value: ({ ms, lost }) => (lost === null ? Math.round(ms) : null) },
      { name: text.caller, value: ({ caller }) => text.callers[caller] },
      { name: text.fields.request, value: ({ requestId }) => requestId },
      { name: text.card, value: ({ cardId }) => (cardId === '' ? null : cardId) },
    ],
    fetchPage: async (after) => {
      const { requests, next } = await call('dashboard.requests.list', { ...params, after, count: exportPageRows })
      return { rows: requests, next }
    },
  })
}

function columns(): TableColumn<RequestRow>[] {
  const text = requestPageText.current()
  return [
    {
      name: text.method,
      render: ({ requestId, method, reason, lost }) =>
        lost === null ? (
          <a href={dashboardPath(`requests/${requestId}`)}>
            <code>{method ?? text.noMethod}</code>
          </a>
        ) : (
          <strong>
            {formatMessage(text.lost, lost.count)} <Time at={lost.from} />
            {text.lostReasons[reason] === undefined ? '' : ` (${text.lostReasons[reason]})`}
          </strong>
        ),
    },
    { name: text.outcome, render: ({ lost, ...entry }) => (lost === null ? <RequestOutcome {...entry} /> : '') },
    { name: text.at, render: ({ at }) => <Time at={at} isShort hasSeconds /> },
    { name: messages.value.ms, render: ({ ms, lost }) => (lost === null ? Math.round(ms) : ''), isNumber: true, isMinor: true },
    { name: text.caller, render: ({ caller }) => text.callers[caller], isMinor: true },
    {
      name: text.card,
      render: ({ cardId }) => (cardId === '' ? '' : <a href={dashboardPath(`cards/${cardId}`)}>{cardId.slice(-8)}</a>),
      isMinor: true,
    },
  ]
}

const operationNames = [
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
] as const satisfies readonly OperationName[]
/** As `dashboard.requests.list` accepts. */
const durationMaxMs = 3_600_000
