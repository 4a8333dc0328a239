import { makeAddressGuard, resolveBySystem, type AddressGuard } from '../adapters/http/address-guard.ts'
import type { MerchantApi } from '../adapters/merchant-api/merchant-api.ts'
import { observeMerchantApi } from '../adapters/merchant-api/observe-merchant-api.ts'
import { createPaymeMerchantApi } from '../adapters/merchant-api/payme.ts'
import { observeNetwork } from '../adapters/network/observe-network.ts'
import { requireSeparateRoutes } from '../adapters/network/routes.ts'
import { observeSms } from '../adapters/sms/observe-sms.ts'
import type { GatewayConnection } from '../adapters/sms/sms.ts'
import type { Clock } from '../clock.ts'
import { makePeers, peerSettings } from '../domain/limits/peers.ts'
import { makeNetworks } from '../domain/networks.ts'
import { makeMerchantEndpointLookup } from '../domain/merchants/merchant-endpoint.ts'
import type { SmsGateway } from '../domain/sms/sms-sender.ts'
import type { Merchants } from '../domain/merchants/merchants.ts'
import type { Config } from '../ops/config/config.ts'
import { makeAddressList } from '../ops/config/proxies.ts'
import { makePeerHealth } from '../ops/health/peer-health.ts'
import { makeMerchantEndpointObserver, makeNetworkObserver, makePeerObserver, makeSmsObserver } from '../ops/logging/observers.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import type { Tracer } from '../ops/tracing/tracing.ts'
import { registerPeerGauges, registerSmsConnectionGauge } from '../ops/metrics/peer-gauges.ts'

import { takeTraceNumbers } from '../store/trace-numbers.ts'

import { adapterDependencies } from './adapter-dependencies.ts'
import type { Adapters } from './adapters.ts'
import type { DomainBase } from './domain-base.ts'
import { traceHolder, traceMerchantApi, traceNetwork, traceSms } from './traced-ports.ts'

export interface OutsideSystemDependencies {
  readonly base: Pick<DomainBase, 'store' | 'keyring' | 'clock' | 'environment'>
  readonly machineClock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly merchants: Merchants
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** A replacement, for tests. */
  readonly merchantEndpoint: MerchantApi | undefined
  readonly tracing: Tracer | null
}

/** The card networks, the SMS gateways and the merchants' endpoints, each observed, with the bounds and breakers of their calls. */
export function createOutsideSystems(config: Config, adapters: Adapters, deps: OutsideSystemDependencies) {
  const { base, machineClock, log, metrics, merchants, now, tracing } = deps
  const { store, keyring, clock, environment } = base
  const networkAdapters = adapters.networks({
    ...adapterDependencies(config, { clock, log }, config.networkTimeoutMs),
    store,
    takeTraceNumbers: (network, count) => store.write(takeTraceNumbers, { network, count }),
  })
  requireSeparateRoutes(networkAdapters)
  const networkHealth = new Map(networkAdapters.map(({ name }) => [name, makePeerHealth()] as const))
  const smsAdapters = adapters.sms({ ...adapterDependencies(config, { clock, log }, config.smsTimeoutMs), store })
  const peerHealth = { networks: networkHealth, sms: new Map(smsAdapters.map(({ name }) => [name, makePeerHealth()] as const)) }
  const holder = traceHolder(adapters.holder({ ...adapterDependencies(config, { clock, log }, config.holderTimeoutMs), store }), tracing)
  // By the machine's time: moving the time of the sandbox neither opens nor closes a breaker.
  const peers = makePeers({
    settings: peerSettings(config),
    now: () => machineClock.moment().monotonicMs,
    networks: networkAdapters.map(({ name, port }) => ({ name, isSimulated: port.isSimulated === true })),
    smsGateways: smsAdapters.map(({ name, port }) => ({ name, isSimulated: port.isSimulated === true })),
    isHolderSimulated: holder?.isSimulated === true,
    observer: makePeerObserver(log, metrics, () => machineClock.now()),
  })
  registerPeerGauges(peers, metrics)
  const listSmsConnections = (): readonly GatewayConnection[] =>
    smsAdapters.flatMap(({ name, port }) => (port.listConnections?.() ?? []).map(({ bind, awayMs }) => ({ gateway: name, bind, awayMs })))
  registerSmsConnectionGauge(listSmsConnections, metrics)
  const guarded = { resolve: resolveBySystem, allowLoopback: adapters.webhooksToLoopback }
  const guard: AddressGuard = makeAddressGuard({ ...guarded, isInOutboundNetwork: makeAddressList(config.outboundNetworks ?? []) })
  const observedEndpoint: MerchantApi =
    deps.merchantEndpoint ??
    observeMerchantApi({
      endpoint: createPaymeMerchantApi({ ...makeMerchantEndpointLookup({ merchants, keyring, environment }), guard, clock }),
      onCall: makeMerchantEndpointObserver(log, metrics),
      now,
    })
  const endpoint = traceMerchantApi(observedEndpoint, tracing)
  const observed = networkAdapters.map(({ name, port }) => {
    const health = networkHealth.get(name) ?? makePeerHealth()
    const network = observeNetwork({ network: port, onCall: makeNetworkObserver(metrics, name, health), now })
    return { name, port: traceNetwork(name, network, tracing) }
  })
  return {
    peerHealth,
    /** Connections that SMS adapters keep open, by gateway. */
    listSmsConnections,
    networks: makeNetworks(observed, peers.network),
    /** Closes the connections that adapters keep open. */
    async closeAdapters() {
      for (const { port } of [...networkAdapters, ...smsAdapters]) await port.close?.()
    },
    smsAdapters,
    smsGateways: smsAdapters.map(({ name, port }): SmsGateway => {
      const onSend = makeSmsObserver(metrics, name, peerHealth.sms.get(name) ?? makePeerHealth())
      const sms = traceSms(name, observeSms({ sms: port, onSend, now, clock }), tracing)
      return { name, weight: port.weight ?? 1, sms, gate: peers.sms(name) }
    }),
    holder,
    peers,
    /** Refuses addresses at which no endpoint of a merchant may be. */
    guard,
    /** Refuses addresses at which no page of a merchant may be: cardholders reach it over the internet, whatever `outboundNetworks` says. */
    pageGuard: makeAddressGuard(guarded),
    endpoint,
  }
}
