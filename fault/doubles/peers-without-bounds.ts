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
  const simulated = ({ name }: { readonly name: string }) => ({ name, isSimulated: true })
  const [networks, smsGateways] = [options.networks.map(simulated), [...options.smsGateways, endpoints].map(simulated)]
  const peers = real.makePeers({ ...options, settings, networks, smsGateways })
  const gate = peers.sms(endpoints.name)
  return { ...peers, merchantEndpoint: () => ({ debited: gate, check: gate }) }
}

/** Stands in for the gates of all endpoints. */
const endpoints = { name: 'endpoints' }
const unbounded = 1_000_000_000

export { makePeersWithoutBounds as makePeers }
export { peerSettings } from '../../service/src/domain/limits/peers.ts'
