import { eventTypes } from '@tessera/contract/event'
import type { Params, Result } from '@tessera/contract/methods'

import { call } from '../../app/call.ts'
import { go, pathOf, place } from '../../app/router.ts'
import { Choice } from '../../parts/choice.tsx'
import { Empty } from '../../parts/empty.tsx'
import { useRows } from '../../parts/rows.ts'
import { Table, type Column } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { DeliveryState } from './outcome.tsx'
import { webhookText } from './webhook-text.ts'

type Delivery = Result<'dashboard.webhooks.deliveries'>['deliveries'][number]
type Filter = Pick<Params<'dashboard.webhooks.deliveries'>, 'state' | 'type' | 'endpointId'>

/** Events on their way to the endpoints, the newest first, by the filter in the address. */
export function DeliveryList() {
  const text = webhookText.now()
  const { query } = place.value
  const filter = readFilter(query)
  const rows = useRows(JSON.stringify(filter), async (after) => {
    const { deliveries, next } = await call('dashboard.webhooks.deliveries', { ...filter, after })
    return { rows: deliveries, next }
  })
  const choose = (name: string, value: string): void => {
    const wanted = new URLSearchParams(query)
    if (value === '') wanted.delete(name)
    else wanted.set(name, value)
    go(`webhooks?${wanted.toString()}`, { replace: true })
  }
  const isFiltered = Object.keys(filter).length > 0
  return (
    <section>
      <h2>{text.deliveries}</h2>
      <div class="tools">
        <Choice
          {...{ label: text.state, value: filter.state ?? '', onChange: (value) => choose('state', value) }}
          options={[['', text.all], ...states.map((state) => [state, text.states[state]] as const)]}
        />
        <Choice
          {...{ label: text.type, value: filter.type ?? '', onChange: (value) => choose('type', value) }}
          options={[['', text.all], ...eventTypes.map((type) => [type, type] as const)]}
        />
        <button type="button" onClick={rows.again}>
          {text.refresh}
        </button>
        {filter.endpointId !== undefined && (
          <button type="button" onClick={() => choose('endpoint', '')}>
            {text.everyEndpoint}
          </button>
        )}
      </div>
      <Table
        label={text.deliveries}
        rows={rows}
        columns={columns()}
        keyOf={({ eventId, endpointId }) => `${eventId}${endpointId}`}
        empty={<Empty {...(isFiltered ? text.noneOfFilter : text.none)} />}
      />
    </section>
  )
}

/** What the address says, and only what it may say. */
function readFilter(query: URLSearchParams): Filter {
  const state = states.find((each) => each === query.get('state'))
  const type = eventTypes.find((each) => each === query.get('type'))
  const endpointId = /^[0-9a-f]{24}$/.exec(query.get('endpoint') ?? '')?.[0]
  return {
    ...(state === undefined ? {} : { state }),
    ...(type === undefined ? {} : { type }),
    ...(endpointId === undefined ? {} : { endpointId }),
  }
}

function columns(): Column<Delivery>[] {
  const text = webhookText.now()
  return [
    { name: text.type, show: ({ type, eventId, endpointId }) => <a href={pathOf(`webhooks/${eventId}/${endpointId}`)}>{type}</a> },
    { name: text.state, show: ({ state }) => <DeliveryState state={state} /> },
    { name: text.happened, show: ({ madeAt }) => <Time at={madeAt} /> },
    {
      name: text.endpoint,
      show: ({ url, endpointId }) => <a href={pathOf(`webhooks?endpoint=${endpointId}`)}>{url ?? text.removed}</a>,
      isMinor: true,
    },
    { name: text.tries, show: ({ tries }) => tries, isNumber: true, isMinor: true },
  ]
}

const states = ['waiting', 'delivered', 'dead'] as const
