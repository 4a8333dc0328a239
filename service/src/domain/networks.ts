import { makeFindRoute, type CardRoute } from '@tessera/contract/route'
import { RpcError } from '@tessera/contract/errors'

import type { NamedNetwork, Network } from '../adapters/network/network.ts'

import type { PeerGate } from './limits/peer-gate.ts'

/** A card network with the gate that its calls pass: its places and its breaker. */
export interface NetworkPeer {
  /** The name of its adapter, stored with every call. */
  readonly name: string
  readonly network: Network
  readonly gate: PeerGate
}

/** The card networks of the service. No two of them take the same card numbers. */
export interface Networks {
  /** Card number prefixes of all networks. */
  readonly routes: readonly CardRoute[]
  readonly peers: readonly NetworkPeer[]
  /** The network of a card, by the first six digits of its number; null when no network takes it any more. */
  findByCard(maskedPan: string): NetworkPeer | null
  /** Null: it was removed from the settings. */
  findByName(name: string): NetworkPeer | null
}

export function makeNetworks(networks: readonly NamedNetwork[], gateOf: (name: string) => PeerGate): Networks {
  const peers = networks.map(({ name, port }): NetworkPeer => ({ name, network: port, gate: gateOf(name) }))
  const byName = new Map(peers.map((peer) => [peer.name, peer]))
  const byPrefix = new Map(peers.flatMap((peer) => peer.network.routes.map(({ prefix }) => [prefix, peer] as const)))
  const routes = Object.freeze(networks.flatMap(({ port }) => port.routes))
  const findRoute = makeFindRoute(routes)
  return Object.freeze({
    routes,
    peers,
    findByCard(maskedPan: string) {
      const route = findRoute(Buffer.from(maskedPan.slice(0, 6), 'latin1'))
      return route === null ? null : (byPrefix.get(route.prefix) ?? null)
    },
    findByName: (name: string) => byName.get(name) ?? null,
  })
}

/** The network of a stored card. Throws `networkUnavailable` when its prefix was taken out of the settings: the card works again when it is back. */
export function requireNetworkOfCard(networks: Networks, maskedPan: string): NetworkPeer {
  const peer = networks.findByCard(maskedPan)
  if (peer === null) throw new RpcError('networkUnavailable')
  return peer
}
