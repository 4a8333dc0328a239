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
  {
    name: 'pageReadHours',
    env: 'TESSERA_PAGE_READ_HOURS',
    flag: '--page-read-hours',
    type: 'integer',
    from: 0,
    to: 168,
    default: 24,
    meaning: 'How often pages that merchants have checked by their address are read again and compared; 0: never.',
    source: 'PCI DSS 11.6.1: at least once a week',
  },
] as const satisfies readonly Setting[]
