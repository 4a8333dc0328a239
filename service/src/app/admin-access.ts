import { X509Certificate } from 'node:crypto'

import type { Config } from '../ops/config/config.ts'
import { ExitError } from '../ops/exits.ts'
import type { AdminAccess, AdminTls } from '../server/http/admin-server.ts'

import { readTlsFile, readTlsFiles, type TlsFiles } from './tls-files.ts'

type AdminSettings = Pick<
  Config,
  'adminHost' | 'adminToken' | 'adminTokenFile' | 'adminTlsCertificate' | 'adminTlsKey' | 'adminTlsClientCa'
>

/** Who may use the admin listener, with what was found in its certificate. */
export interface AdminAccessFiles extends AdminAccess {
  readonly tls: (TlsFiles & AdminTls) | null
}

/** Reads who may use the admin listener. Throws `ExitError` when that is anyone in the network, or a file cannot be used. */
export function readAdminAccess(config: AdminSettings, nowMs: number): AdminAccessFiles {
  const isLoopback = isLoopbackHost(config.adminHost)
  const [token, tls] = [readToken(config), readTls(config, nowMs)]
  if (!isLoopback && token === null && tls?.clientCa === undefined) {
    throw new ExitError(
      'invalidSettings',
      `TESSERA_ADMIN_HOST is ${config.adminHost}, which other machines may reach, and neither a token nor client certificates are required there.`,
      {
        advice:
          'Set TESSERA_ADMIN_TOKEN_FILE to a file with a random token of 32 characters or more, or TESSERA_ADMIN_TLS_CLIENT_CA with TESSERA_ADMIN_TLS_CERTIFICATE and TESSERA_ADMIN_TLS_KEY; or set TESSERA_ADMIN_HOST to 127.0.0.1.',
      },
    )
  }
  return { isLoopback, token, tls }
}

/** Whether only this machine can reach a listener on the host. */
export function isLoopbackHost(host: string): boolean {
  return /^(127(\.[0-9]{1,3}){3}|::1|localhost)$/i.test(host)
}

function readToken({ adminToken, adminTokenFile }: AdminSettings): string | null {
  if (adminToken !== null && adminTokenFile !== null) {
    throw new ExitError('invalidSettings', 'TESSERA_ADMIN_TOKEN and TESSERA_ADMIN_TOKEN_FILE are both set.', {
      advice: 'Remove one of them.',
    })
  }
  const [token, source] =
    adminTokenFile === null
      ? [adminToken, 'TESSERA_ADMIN_TOKEN']
      : [readTlsFile('TESSERA_ADMIN_TOKEN_FILE', adminTokenFile).toString('utf8').trim(), 'TESSERA_ADMIN_TOKEN_FILE']
  if (token === null || /^[\x21-\x7e]{32,1024}$/.test(token)) return token
  throw new ExitError('invalidSettings', `The token of ${source} is not usable: it needs 32 to 1024 printable characters without blanks.`, {
    advice: 'Create one with: openssl rand -hex 32',
  })
}

function readTls({ adminTlsCertificate, adminTlsKey, adminTlsClientCa }: AdminSettings, nowMs: number): (TlsFiles & AdminTls) | null {
  if (adminTlsCertificate === null && adminTlsKey === null && adminTlsClientCa === null) return null
  if (adminTlsCertificate === null || adminTlsKey === null) {
    throw new ExitError(
      'invalidSettings',
      'TESSERA_ADMIN_TLS_CERTIFICATE and TESSERA_ADMIN_TLS_KEY are needed together, also for client certificates.',
      {
        advice: 'Set both, or none of the TESSERA_ADMIN_TLS settings.',
      },
    )
  }
  const files = readTlsFiles(
    {
      certificate: adminTlsCertificate,
      certificateSetting: 'TESSERA_ADMIN_TLS_CERTIFICATE',
      key: adminTlsKey,
      keySetting: 'TESSERA_ADMIN_TLS_KEY',
    },
    nowMs,
  )
  if (adminTlsClientCa === null) return files
  const clientCa = readTlsFile('TESSERA_ADMIN_TLS_CLIENT_CA', adminTlsClientCa)
  try {
    new X509Certificate(clientCa)
  } catch (err) {
    throw new ExitError('invalidSettings', `TESSERA_ADMIN_TLS_CLIENT_CA names ${adminTlsClientCa}, which is no certificate.`, {
      cause: err,
      advice: 'It has to be a PEM file with the certificates of the authorities.',
    })
  }
  return { ...files, clientCa }
}
