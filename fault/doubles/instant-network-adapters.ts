import * as real from '../../service/src/adapters/network/network-adapters.ts'
import type { Network } from '../../service/src/adapters/network/network.ts'

/** The sandbox's network, but a debit is approved at once and written nowhere: its ledger is in the database of the service, where no real one is. */
function instant(network: Network): Network {
  return { ...network, authorize: async ({ requestId }) => ({ kind: 'approved', networkRef: `instant-${requestId}` }) }
}

const adapters = real.networkAdapters.adapters.map((adapter) => ({
  ...adapter,
  create: (...deps: Parameters<typeof adapter.create>) => instant(adapter.create(...deps)),
}))

const instantNetworkAdapters: typeof real.networkAdapters = { ...real.networkAdapters, adapters }

export { instantNetworkAdapters as networkAdapters }
