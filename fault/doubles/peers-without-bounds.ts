import * as real from '../../service/src/domain/limits/peers.ts'

function makePeersWithoutBounds(options: real.PeersOptions): real.Peers {
  const places = { networkPlaces: unbounded, smsPlaces: unbounded, endpointPlaces: unbounded, placesPerEndpoint: unbounded }
  const settings = { ...options.settings, ...places }
  const peers = real.makePeers({ ...options, settings, isNetworkSimulated: true, isSmsSimulated: true })
  return { ...peers, merchantEndpoint: () => ({ debited: peers.network, check: peers.network }) }
}

const unbounded = 1_000_000_000

export { makePeersWithoutBounds as makePeers }
export { peerSettings } from '../../service/src/domain/limits/peers.ts'
