import type { Setting } from './values.ts'

/** Where monitoring reaches the service, and how it proves who it is. */
export const adminSettings = [
  {
    name: 'adminHost',
    env: 'TESSERA_ADMIN_HOST',
    flag: '--admin-host',
    type: 'host',
    default: '127.0.0.1',
    meaning:
      'Address of /healthz, /readyz and /metrics. Away from loopback adminToken, adminTokenFile or adminTlsClientCa is required: a start without is refused.',
  },
  {
    name: 'adminPort',
    env: 'TESSERA_ADMIN_PORT',
    flag: '--admin-port',
    type: 'port',
    default: 8081,
    meaning: 'Port on adminHost of /healthz, /readyz and /metrics; 0 selects a free one.',
  },
  {
    name: 'adminToken',
    env: 'TESSERA_ADMIN_TOKEN',
    flag: '--admin-token',
    type: 'text',
    default: null,
    meaning:
      'Token that every request to adminHost must send (Authorization: Bearer), 32 characters at least. Other users of the machine see flags; use adminTokenFile or the environment.',
    secret: true,
  },
  {
    name: 'adminTokenFile',
    env: 'TESSERA_ADMIN_TOKEN_FILE',
    flag: '--admin-token-file',
    type: 'path',
    default: null,
    meaning: 'File that contains the token of adminToken on one line.',
  },
  {
    name: 'adminTlsCertificate',
    env: 'TESSERA_ADMIN_TLS_CERTIFICATE',
    flag: '--admin-tls-certificate',
    type: 'path',
    default: null,
    meaning: 'PEM file with the certificate chain of adminHost, which then serves https; with adminTlsKey.',
  },
  {
    name: 'adminTlsKey',
    env: 'TESSERA_ADMIN_TLS_KEY',
    flag: '--admin-tls-key',
    type: 'path',
    default: null,
    meaning: 'PEM file with the private key of adminTlsCertificate.',
  },
  {
    name: 'adminTlsClientCa',
    env: 'TESSERA_ADMIN_TLS_CLIENT_CA',
    flag: '--admin-tls-client-ca',
    type: 'path',
    default: null,
    meaning: 'PEM file with the authorities of client certificates (mTLS): adminHost then accepts only clients that have one.',
  },
] as const satisfies readonly Setting[]
