import { eventTypes } from '@tessera/contract/event'
import type { Params } from '@tessera/contract/operations'

// Apart from the page, so that its test needs no browser.

export type DeliveryFilter = Pick<Params<'dashboard.webhooks.deliveries'>, 'state' | 'type' | 'endpointId' | 'objectId'>

export const deliveryStates = ['waiting', 'delivered', 'dead'] as const

/** Reads the filter from the address. Invalid values are ignored. */
export function parseDeliveryFilter(query: URLSearchParams): DeliveryFilter {
  const state = deliveryStates.find((each) => each === query.get('state'))
  const type = eventTypes.find((each) => each === query.get('type'))
  const endpointId = /^[0-9a-f]{24}$/.exec(query.get('endpoint') ?? '')?.[0]
  const objectId = /^[0-9a-f]{24}$/.exec(query.get('object') ?? '')?.[0]
  return {
    ...(state === undefined ? {} : { state }),
    ...(type === undefined ? {} : { type }),
    ...(endpointId === undefined ? {} : { endpointId }),
    ...(objectId === undefined ? {} : { objectId }),
  }
}
