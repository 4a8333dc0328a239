import { eventTypes } from '@tessera/contract/event'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { useListTitle } from '../../app/object-title.ts'
import { navigate, dashboardPath, route } from '../../app/router.ts'
import { SelectField } from '../../components/fields.tsx'
import { readSubject, SubjectLink } from '../../components/links.tsx'
import { EmptyState } from '../../components/query-result.tsx'
import { type TableColumn, DataTable } from '../../components/table.tsx'
import { Time } from '../../components/values.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { webhookPageText } from '../../messages/page-texts.ts'
import { DeliveryStateTag } from './delivery-detail.tsx'
import { SavedViews } from '../../views/saved-views.tsx'
import { deliveryStates, parseDeliveryFilter } from './delivery-filter.ts'

type DeliveryRow = Result<'dashboard.webhooks.deliveries'>['deliveries'][number]

/** Deliveries, newest first. The filter is part of the address. */
export function DeliveryList() {
  const text = webhookPageText.current()
  const { query } = route.value
  const filter = parseDeliveryFilter(query)
  const list = usePagedList(`deliveries ${JSON.stringify(filter)}`, async (after) => {
    const { deliveries, next } = await call('dashboard.webhooks.deliveries', { ...filter, after })
    return { rows: deliveries, next }
  })
  const setFilter = (name: string, value: string): void => {
    const next = new URLSearchParams(query)
    if (value === '') next.delete(name)
    else next.set(name, value)
    navigate(`webhooks?${next.toString()}`, { replace: true })
  }
  const subject = readSubject(query, filter.objectId)
  useListTitle(messages.value.relatedLinks.deliveries, subject)
  const isFiltered = Object.keys(filter).length > 0
  return (
    <section>
      <h2>{text.deliveries}</h2>
      <SubjectLink subject={subject} />
      <SavedViews list="webhooks" query={query} />
      <div class="tools">
        <SelectField
          label={text.state}
          value={filter.state ?? ''}
          onChange={(value) => setFilter('state', value)}
          options={[['', text.all], ...deliveryStates.map((state) => [state, text.states[state]] as const)]}
        />
        <SelectField
          label={text.type}
          value={filter.type ?? ''}
          onChange={(value) => setFilter('type', value)}
          options={[['', text.all], ...eventTypes.map((type) => [type, type] as const)]}
        />
        <button type="button" onClick={list.reload}>
          {text.refresh}
        </button>
        {filter.objectId !== undefined && (
          <button type="button" onClick={() => setFilter('object', '')}>
            {text.allObjects}
          </button>
        )}
        {filter.endpointId !== undefined && (
          <button type="button" onClick={() => setFilter('endpoint', '')}>
            {text.allEndpoints}
          </button>
        )}
      </div>
      <DataTable
        label={text.deliveries}
        list={list}
        columns={columns()}
        keyOf={({ eventId, endpointId }) => `${eventId}${endpointId}`}
        empty={<EmptyState {...(isFiltered ? text.noneFound : text.none)} next={isFiltered ? 'all' : 'start'} />}
      />
    </section>
  )
}

function columns(): TableColumn<DeliveryRow>[] {
  const text = webhookPageText.current()
  return [
    {
      name: text.type,
      render: ({ type, eventId, endpointId }) => (
        <a href={dashboardPath(`webhooks/${eventId}/${endpointId}`)} title={type === null ? '' : text.typeMeanings[type]}>
          {type ?? text.tampered}
        </a>
      ),
    },
    { name: text.state, render: ({ state }) => <DeliveryStateTag state={state} /> },
    { name: text.createdAt, render: ({ createdAt }) => <Time at={createdAt} isShort /> },
    {
      name: text.endpoint,
      render: ({ url, endpointId, isEndpointTampered }) => (
        <a href={dashboardPath(`webhooks?endpoint=${endpointId}`)}>{url ?? (isEndpointTampered ? text.tampered : text.removed)}</a>
      ),
      isMinor: true,
    },
    { name: text.attemptCount, render: ({ attemptCount }) => attemptCount, isNumber: true, isMinor: true },
  ]
}
