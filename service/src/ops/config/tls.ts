import type { Setting } from './values.ts'

/** TLS of the service's own listener, and the host of the API. */
export const tlsSettings = [
  {
    name: 'tlsCertFile',
    env: 'TESSERA_TLS_CERT_FILE',
    flag: '--tls-cert-file',
    type: 'path',
    default: null,
    meaning:
      'PEM file with the certificate chain of API, form and dashboard, which are then served by https (TLS 1.2 or 1.3) without a proxy; with tlsKeyFile. SIGHUP reads both files again.',
  },
  {
    name: 'tlsKeyFile',
    env: 'TESSERA_TLS_KEY_FILE',
    flag: '--tls-key-file',
    type: 'path',
    default: null,
    meaning: 'PEM file with the private key of tlsCertFile, without a passphrase; only the user of the service may read it.',
  },
  {
    name: 'apiOrigin',
    env: 'TESSERA_API_ORIGIN',
    flag: '--api-origin',
    type: 'origin',
    default: null,
    meaning:
      "Origin of the API for merchants' servers. Given, /api is served on its host and on that of formOrigin only, and gets 421 on any other; by default on every host.",
    production: 'https, and another host name than dashboardOrigin',
  },
] as const satisfies readonly Setting[]
