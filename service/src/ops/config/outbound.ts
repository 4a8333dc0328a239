import type { Setting } from './values.ts'

/** Where the service may connect to on behalf of merchants. */
export const outboundSettings = [
  {
    name: 'outboundNetworks',
    env: 'TESSERA_OUTBOUND_NETWORKS',
    flag: '--outbound-networks',
    type: 'addresses',
    default: null,
    meaning:
      'Private networks in which endpoints and webhooks of merchants may be, besides the public internet: by https, without redirects. Addresses of cloud metadata services are refused in any case.',
    source: 'none by default: a merchant chooses these addresses, and could otherwise have the service call your own systems',
  },
] as const satisfies readonly Setting[]
