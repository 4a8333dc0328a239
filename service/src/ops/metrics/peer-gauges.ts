import type { GatewayConnection } from '../../adapters/sms/sms.ts'
import type { Peers, PeerUsage } from '../../domain/limits/peers.ts'

import type { MetricMerge } from './metric.ts'
import type { Metrics } from './metrics.ts'

/** Registers the gauges of outside systems: who waits for what, how much room is left, and which breakers are open. */
export function registerPeerGauges({ listPeers }: Pick<Peers, 'listPeers'>, metrics: Pick<Metrics, 'registerGauge'>): void {
  const register = (name: string, help: string, valueOf: (usage: PeerUsage) => number, merge: MetricMerge = 'sum'): void =>
    metrics.registerGauge({
      name,
      help,
      merge,
      read: () => listPeers().map((usage) => ({ labels: { peer: usage.kind, name: usage.name }, value: valueOf(usage) })),
    })
  register(
    'tessera_peer_calls_in_flight',
    'Calls that wait for an outside system, by peer and, of a card network or SMS gateway, its name.',
    ({ inFlight }) => inFlight,
  )
  register('tessera_peer_calls_max', 'Calls that may wait for an outside system at the same time, by peer.', ({ max }) => max)
  register(
    'tessera_peer_breakers_open',
    'Outside systems that are not called because they do not respond, by peer; one for each endpoint of a merchant.',
    ({ openBreakers }) => openBreakers,
    'max',
  )
}

/** Registers how long each connection that SMS adapters keep open has been away. */
export function registerSmsConnectionGauge(
  listConnections: () => readonly GatewayConnection[],
  metrics: Pick<Metrics, 'registerGauge'>,
): void {
  metrics.registerGauge({
    name: 'tessera_sms_connection_away_seconds',
    help: 'How long a connection to an SMS gateway has been away, by gateway and bind; 0 while it is there.',
    merge: 'max',
    read: () => listConnections().map(({ gateway, bind, awayMs }) => ({ labels: { gateway, bind }, value: awayMs / 1000 })),
  })
}
