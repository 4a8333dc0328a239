import type { Peers, PeerUsage } from '../../domain/limits/peers.ts'

import type { Metrics } from './metrics.ts'

/** Registers the gauges of outside systems: who waits for what, how much room is left, and which breakers are open. */
export function registerPeerGauges({ listPeers }: Pick<Peers, 'listPeers'>, metrics: Pick<Metrics, 'registerGauge'>): void {
  const register = (name: string, help: string, valueOf: (usage: PeerUsage) => number): void =>
    metrics.registerGauge({
      name,
      help,
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
  )
}
