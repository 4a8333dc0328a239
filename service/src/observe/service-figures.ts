import type { Log } from './log.ts'
import type { Asked } from './metrics.ts'

/** The figures of /metrics that are asked for when the page is read. */
export function figuresOf(life: ServiceLife, log: Log): Asked[] {
  return [
    { name: 'tessera_ready', meaning: '1 when work may be sent here.', read: () => (life.state === 'ready' ? 1 : 0) },
    { name: 'tessera_calls_in_flight', meaning: 'Calls being answered.', read: () => life.inFlight() },
    {
      name: 'tessera_log_tripwire_total',
      meaning: 'Card numbers caught on their way into the log: more than none is a fault.',
      read: log.caught,
    },
    { name: 'tessera_requests_unrecorded_total', meaning: 'Calls that the request log had no room for.', read: () => life.unrecorded() },
    { name: 'tessera_log_dropped_total', meaning: 'Log lines that nobody read fast enough.', read: log.dropped },
  ]
}

/** As much of a service's life as its figures tell. */
export interface ServiceLife {
  readonly state: string
  readonly inFlight: () => number
  readonly unrecorded: () => number
}
