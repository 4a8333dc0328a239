import type { Config } from '../../ops/config/config.ts'

import { closedPeerBreaker, makePeerBreaker, type PeerBreaker, type PeerBreakerSettings } from './peer-breaker.ts'
import { makePeerGate, type PeerGate, type PeerKind, type PeerRefusal } from './peer-gate.ts'
import { makeHalfPool, makePlacePool, type PlacePool } from './place-pool.ts'

/**
 * The outside systems that calls wait for. Each kind has places of its own, so that calls which wait for a slow one leave places for all others, and each
 * system has a breaker of its own.
 */
export interface Peers {
  /** The gate of a card network, by the name of its adapter. Each has places and a breaker of its own. */
  network(name: string): PeerGate
  /** The gate of an SMS gateway, by the name of its adapter. */
  sms(name: string): PeerGate
  /** The service that says whether a phone is the cardholder's. */
  readonly holder: PeerGate
  /** The endpoint of this merchant. */
  merchantEndpoint(merchantId: string): EndpointGates
  /** For the metrics. */
  listPeers(): readonly PeerUsage[]
}

/** The gates of one merchant's endpoint, with one breaker. */
export interface EndpointGates {
  /** For payments that were debited: `perform` and `cancel`. */
  readonly debited: PeerGate
  /** For `check` of new payments, which gets at most half of the places, so that debited ones always find some. */
  readonly check: PeerGate
}

export interface PeerUsage {
  readonly kind: PeerKind
  /** Of a card network or SMS gateway: its adapter; '' for the others. */
  readonly name: string
  readonly inFlight: number
  readonly max: number
  /** Breakers that are open or half open. */
  readonly openBreakers: number
}

export interface PeerSettings {
  /** Of all card networks together; each gets an equal part, so that one that hangs leaves the others theirs. */
  readonly networkPlaces: number
  /** Of all SMS gateways together, divided in the same way. */
  readonly smsPlaces: number
  readonly holderPlaces: number
  /** Of all merchants' endpoints together. */
  readonly endpointPlaces: number
  readonly placesPerEndpoint: number
  readonly breaker: PeerBreakerSettings
}

/** The places are shares of all calls in flight, so that calls which wait for nobody always have some. */
export function peerSettings(config: Config): PeerSettings {
  const placesOf = (percent: number): number => Math.max(1, Math.floor((config.inFlightMax * percent) / 100))
  return {
    networkPlaces: placesOf(config.networkInFlightPercent),
    smsPlaces: placesOf(config.smsInFlightPercent),
    holderPlaces: placesOf(config.holderInFlightPercent),
    endpointPlaces: placesOf(config.endpointsInFlightPercent),
    placesPerEndpoint: config.endpointInFlightMax,
    breaker: { slowMs: config.peerSlowMs, pauseMs: config.peerPauseMs },
  }
}

export interface PeersOptions {
  readonly settings: PeerSettings
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** `isSimulated`: it simulates failures that its users choose; its breaker never opens. */
  readonly networks: readonly { readonly name: string; readonly isSimulated: boolean }[]
  readonly smsGateways: readonly { readonly name: string; readonly isSimulated: boolean }[]
  readonly isHolderSimulated: boolean
  readonly observer: PeerObserver
}

export interface PeerObserver {
  refused(refusal: PeerRefusal): void
  breakerChanged(change: PeerBreakerChange): void
}

export interface PeerBreakerChange {
  readonly kind: PeerKind
  /** Of a card network or SMS gateway: its adapter; '' for the others. */
  readonly name: string
  readonly state: 'open' | 'closed'
  /** Of a merchant's endpoint; null for the others. */
  readonly merchantId: string | null
}

export function makePeers({ settings, now, networks, smsGateways, isHolderSimulated, observer }: PeersOptions): Peers {
  const holderPlaces = makePlacePool({ max: settings.holderPlaces })
  const endpointOptions = { max: settings.endpointPlaces, maxPerMerchant: settings.placesPerEndpoint }
  const endpointPlaces = makePlacePool(endpointOptions)
  const checkPlaces = makeHalfPool(endpointPlaces, endpointOptions)
  const networkGates = makeNamedGates('network', settings.networkPlaces, networks)
  const smsGates = makeNamedGates('sms', settings.smsPlaces, smsGateways)
  const holder = makeGate('holder', holderPlaces, makeBreaker('holder', { isSimulated: isHolderSimulated }))
  const endpoints = new Map<string, EndpointGates>()

  return Object.freeze({
    network: (name: string) => findGate(networkGates, name),
    sms: (name: string) => findGate(smsGates, name),
    holder,
    merchantEndpoint,
    listPeers: () => [
      ...[...networkGates, ...smsGates].map(({ kind, name, places, gate }) => usageOf({ kind, name }, places, [gate])),
      usageOf({ kind: 'holder', name: '' }, holderPlaces, [holder]),
      usageOf(
        { kind: 'merchant_endpoint', name: '' },
        endpointPlaces,
        [...endpoints.values()].map(({ debited }) => debited),
      ),
    ],
  })

  /** The places of a kind are divided equally. */
  function makeNamedGates(kind: PeerKind, allPlaces: number, peers: PeersOptions['networks']) {
    return peers.map(({ name, isSimulated }) => {
      const places = makePlacePool({ max: Math.max(1, Math.floor(allPlaces / peers.length)) })
      return { kind, name, places, gate: makeGate(kind, places, makeBreaker(kind, { name, isSimulated })) }
    })
  }

  function findGate(gates: ReturnType<typeof makeNamedGates>, name: string): PeerGate {
    const found = gates.find((each) => each.name === name)
    if (found === undefined) throw new Error(`there is no outside system ${name}`)
    return found.gate
  }

  function merchantEndpoint(merchantId: string): EndpointGates {
    const existing = endpoints.get(merchantId)
    if (existing !== undefined) return existing
    // Forgetting one costs no more than that its breaker has to open again.
    if (endpoints.size >= maxEndpoints) endpoints.delete(endpoints.keys().next().value ?? '')
    const breaker = makeBreaker('merchant_endpoint', { merchantId })
    const gates = {
      debited: makeGate('merchant_endpoint', endpointPlaces, breaker),
      check: makeGate('merchant_endpoint', checkPlaces, breaker),
    }
    endpoints.set(merchantId, gates)
    return gates
  }

  function makeGate(kind: PeerKind, places: PlacePool, breaker: PeerBreaker): PeerGate {
    return makePeerGate({ kind, places, breaker, onRefused: (refusal) => observer.refused(refusal) })
  }

  function makeBreaker(kind: PeerKind, { isSimulated = false, name = '', merchantId = null }: BreakerDetails): PeerBreaker {
    if (isSimulated) return closedPeerBreaker
    const onChange = (state: 'open' | 'closed'): void => observer.breakerChanged({ kind, name, state, merchantId })
    return makePeerBreaker({ now, settings: settings.breaker, onChange })
  }
}

interface BreakerDetails {
  readonly name?: string
  readonly isSimulated?: boolean
  readonly merchantId?: string | null
}

function usageOf(peer: Pick<PeerUsage, 'kind' | 'name'>, { inFlight, max }: PlacePool, gates: readonly PeerGate[]): PeerUsage {
  return { ...peer, inFlight, max, openBreakers: gates.filter(({ breakerState }) => breakerState !== 'closed').length }
}

/** Merchants whose endpoint was called by this process; some hundred bytes each. */
const maxEndpoints = 20_000
