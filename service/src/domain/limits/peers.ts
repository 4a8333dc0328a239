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
  readonly sms: PeerGate
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
  /** Of a card network: its adapter; '' for the others. */
  readonly name: string
  readonly inFlight: number
  readonly max: number
  /** Breakers that are open or half open. */
  readonly openBreakers: number
}

export interface PeerSettings {
  /** Of all card networks together; each gets an equal part, so that one that hangs leaves the others theirs. */
  readonly networkPlaces: number
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
  readonly networks: readonly { readonly name: string; readonly isSimulated: boolean }[]
  /** Whether an adapter simulates failures that its users choose; its breaker never opens. */
  readonly isSmsSimulated: boolean
  readonly isHolderSimulated: boolean
  readonly observer: PeerObserver
}

export interface PeerObserver {
  refused(refusal: PeerRefusal): void
  breakerChanged(change: PeerBreakerChange): void
}

export interface PeerBreakerChange {
  readonly kind: PeerKind
  /** Of a card network: its adapter; '' for the others. */
  readonly name: string
  readonly state: 'open' | 'closed'
  /** Of a merchant's endpoint; null for the others. */
  readonly merchantId: string | null
}

export function makePeers({ settings, now, networks, isSmsSimulated, isHolderSimulated, observer }: PeersOptions): Peers {
  const placesPerNetwork = Math.max(1, Math.floor(settings.networkPlaces / Math.max(1, networks.length)))
  const smsPlaces = makePlacePool({ max: settings.smsPlaces })
  const holderPlaces = makePlacePool({ max: settings.holderPlaces })
  const endpointOptions = { max: settings.endpointPlaces, maxPerMerchant: settings.placesPerEndpoint }
  const endpointPlaces = makePlacePool(endpointOptions)
  const checkPlaces = makeHalfPool(endpointPlaces, endpointOptions)
  const networkGates = networks.map(({ name, isSimulated }) => {
    const places = makePlacePool({ max: placesPerNetwork })
    return { name, places, gate: makeGate('network', places, makeBreaker('network', { name, isSimulated })) }
  })
  const sms = makeGate('sms', smsPlaces, makeBreaker('sms', { isSimulated: isSmsSimulated }))
  const holder = makeGate('holder', holderPlaces, makeBreaker('holder', { isSimulated: isHolderSimulated }))
  const endpoints = new Map<string, EndpointGates>()

  return Object.freeze({
    network,
    sms,
    holder,
    merchantEndpoint,
    listPeers: () => [
      ...networkGates.map(({ name, places, gate }) => usageOf({ kind: 'network', name }, places, [gate])),
      usageOf({ kind: 'sms', name: '' }, smsPlaces, [sms]),
      usageOf({ kind: 'holder', name: '' }, holderPlaces, [holder]),
      usageOf(
        { kind: 'merchant_endpoint', name: '' },
        endpointPlaces,
        [...endpoints.values()].map(({ debited }) => debited),
      ),
    ],
  })

  function network(name: string): PeerGate {
    const found = networkGates.find((each) => each.name === name)
    if (found === undefined) throw new Error(`there is no card network ${name}`)
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
