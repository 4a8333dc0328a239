import { readFileSync } from 'node:fs'

import type { Config } from '../ops/config/config.ts'
import { ExitError } from '../ops/exits.ts'
import { requireUsableTls, type AdminAccess, type AdminTls } from '../server/http/admin-server.ts'

type AdminSettings = Pick<
  Config,
  'adminHost' | 'adminToken' | 'adminTokenFile' | 'adminTlsCertificate' | 'adminTlsKey' | 'adminTlsClientCa'
>

/** Reads who may use the admin listener. Throws `ExitError` when that is anyone in the network, or a file cannot be used. */
export function readAdminAccess(config: AdminSettings): AdminAccess {
  const isLoopback = isLoopbackHost(config.adminHost)
  const [token, tls] = [readToken(config), readTls(config)]
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

function isLoopbackHost(host: string): boolean {
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
      : [readSettingFile('TESSERA_ADMIN_TOKEN_FILE', adminTokenFile).toString('utf8').trim(), 'TESSERA_ADMIN_TOKEN_FILE']
  if (token === null || /^[\x21-\x7e]{32,1024}$/.test(token)) return token
  throw new ExitError('invalidSettings', `The token of ${source} is not usable: it needs 32 to 1024 printable characters without blanks.`, {
    advice: 'Create one with: openssl rand -hex 32',
  })
}

function readTls({ adminTlsCertificate, adminTlsKey, adminTlsClientCa }: AdminSettings): AdminTls | null {
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
  const certificate = readSettingFile('TESSERA_ADMIN_TLS_CERTIFICATE', adminTlsCertificate)
  const key = readSettingFile('TESSERA_ADMIN_TLS_KEY', adminTlsKey)
  const clientCa = adminTlsClientCa === null ? undefined : readSettingFile('TESSERA_ADMIN_TLS_CLIENT_CA', adminTlsClientCa)
  const tls = { certificate, key, ...(clientCa === undefined ? {} : { clientCa }) }
  try {
    requireUsableTls(tls)
    return tls
  } catch (err) {
    throw new ExitError('invalidSettings', 'The files of the TESSERA_ADMIN_TLS settings are no certificate with its private key.', {
      cause: err,
      advice: 'Check that they are PEM files, and that the key is that of the certificate.',
    })
  }
}

function readSettingFile(setting: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (err) {
    const code = (err as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new ExitError('invalidSettings', `${setting} names ${path}, which cannot be read (${code}).`, {
      cause: err,
      advice: 'Correct the path, or let the user of the service read the file.',
    })
  }
}
