import * as real from '../../service/src/domain/limits/peers.ts'

function makePeersWithoutBounds(options: real.PeersOptions): real.Peers {
  const places = {
    networkPlaces: unbounded,
    smsPlaces: unbounded,
    holderPlaces: unbounded,
    endpointPlaces: unbounded,
    placesPerEndpoint: unbounded,
  }
  const settings = { ...options.settings, ...places }
  const networks = options.networks.map(({ name }) => ({ name, isSimulated: true }))
  const peers = real.makePeers({ ...options, settings, networks, isSmsSimulated: true })
  return { ...peers, merchantEndpoint: () => ({ debited: peers.sms, check: peers.sms }) }
}

const unbounded = 1_000_000_000

export { makePeersWithoutBounds as makePeers }
export { peerSettings } from '../../service/src/domain/limits/peers.ts'
