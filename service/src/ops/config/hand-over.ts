import type { Setting } from './values.ts'

/** Handing the KEK of custodians over to other nodes. */
export const handOverSettings = [
  {
    name: 'handOverHost',
    env: 'TESSERA_HAND_OVER_HOST',
    flag: '--hand-over-host',
    type: 'text',
    default: '127.0.0.1',
    meaning: 'Address on which a KEK that custodians opened is handed over to enrolled nodes.',
  },
  {
    name: 'handOverPort',
    env: 'TESSERA_HAND_OVER_PORT',
    flag: '--hand-over-port',
    type: 'integer',
    from: 0,
    to: 65_535,
    default: null,
    meaning: 'Its port, by mutual TLS 1.3; by default no KEK is handed over, and each node has a ceremony of its own.',
  },
  {
    name: 'handOverPeers',
    env: 'TESSERA_HAND_OVER_PEERS',
    flag: '--hand-over-peers',
    type: 'text',
    default: null,
    meaning: 'The nodes from which a sealed node requests the KEK, host:port with commas between them.',
  },
  {
    name: 'handOverCertFile',
    env: 'TESSERA_HAND_OVER_CERT_FILE',
    flag: '--hand-over-cert-file',
    type: 'path',
    default: null,
    meaning: 'PEM file with the certificate of this node, for both directions.',
  },
  {
    name: 'handOverKeyFile',
    env: 'TESSERA_HAND_OVER_KEY_FILE',
    flag: '--hand-over-key-file',
    type: 'path',
    default: null,
    meaning: 'PEM file with the private key of handOverCertFile; only the user of the service may read it.',
  },
  {
    name: 'handOverCaFile',
    env: 'TESSERA_HAND_OVER_CA_FILE',
    flag: '--hand-over-ca-file',
    type: 'path',
    default: null,
    meaning: 'PEM file with the authority that signs the certificates of nodes, and of nothing else.',
  },
] as const satisfies readonly Setting[]
