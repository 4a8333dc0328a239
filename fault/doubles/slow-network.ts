import * as real from '../../service/src/adapters/network/network-adapters.ts'
import type { Network } from '../../service/src/adapters/network/network.ts'
import { makePeerDelay } from './peer-switch.ts'

/** A double of a real network, not a scenario of the sandbox: what it says comes from the sandbox, and it can be slow. */
function delayed(network: Network): Network {
  const delay = makePeerDelay('network')
  return {
    ...network,
    isSimulated: false,
    async startVerification(request, signal) {
      await delay(signal)
      return network.startVerification(request, signal)
    },
    async authorize(request, signal) {
      await delay(signal)
      return network.authorize(request, signal)
    },
  }
}

const adapters = real.networkAdapters.adapters.map((adapter) => ({
  ...adapter,
  create: (...deps: Parameters<typeof adapter.create>) => delayed(adapter.create(...deps)),
}))

const slowNetworkAdapters: typeof real.networkAdapters = { ...real.networkAdapters, adapters }

export { slowNetworkAdapters as networkAdapters }
