import type { Result } from '@tessera/contract/operations'

import type { OverviewData } from './overview-data.ts'

type WebhookEndpoint = Result<'dashboard.webhooks.list'>['endpoints'][number]

export interface EndpointAlert {
  readonly endpointId: string
  readonly url: string
  readonly attempted: number
  readonly delivered: number
}

/** The enabled endpoints to which less than 90 % of the newest deliveries got through. */
export function findEndpointAlerts(endpoints: readonly WebhookEndpoint[]): EndpointAlert[] {
  return endpoints.flatMap(({ endpointId, url, state, disabledAt, health: { attempted, delivered } }) =>
    state === 'active' && disabledAt === null && delivered < attempted * deliveredShareMin
      ? [{ endpointId, url, attempted, delivered }]
      : [],
  )
}

export interface CodeAlert {
  /** Codes that were not sent for reasons that are not the cardholder's. */
  readonly count: number
  readonly requested: number
  /** The most frequent of these reasons. */
  readonly reason: string
}

/** Codes of the period that the gateway or the network did not send, when they are more than one in a hundred. A blocked card is no reason to look. */
export function findCodeAlert({ codesRefused, total }: OverviewData): CodeAlert | null {
  const causes = codesRefused.filter(({ reason }) => technical.has(reason))
  const count = causes.reduce((sum, cause) => sum + cause.count, 0)
  const requested = total.codesSent + codesRefused.reduce((sum, cause) => sum + cause.count, 0)
  const [first] = causes
  return first === undefined || count <= requested * codesFailedShareMax ? null : { count, requested, reason: first.reason }
}

const technical: ReadonlySet<string> = new Set([
  'sms_not_sent',
  'gateway_unavailable',
  'send_refused',
  'system_error',
  'network_timeout',
  'network_unavailable',
])
const deliveredShareMin = 0.9
const codesFailedShareMax = 0.01
