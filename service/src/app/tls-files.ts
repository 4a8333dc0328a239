import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { isPrivateFile } from '../adapters/private-file.ts'

import type { Config } from '../ops/config/config.ts'
import { ExitError } from '../ops/exits.ts'
import { requireUsableTls, type ListenerTls } from '../server/http/listener-tls.ts'

/** A certificate with its private key, from files that were checked. */
export interface TlsFiles extends ListenerTls {
  /** Until when the certificate is valid, Unix milliseconds. */
  readonly validUntil: number
  /** The host names that it is for, as OpenSSL writes them. */
  readonly names: string
}

/** Why a certificate or its key cannot be used; `reason` is for the log. */
export class TlsRefused extends ExitError {
  readonly reason: TlsRefusal

  constructor(reason: TlsRefusal, what: string, options: { readonly advice: string; readonly cause?: unknown }) {
    super('invalidSettings', what, options)
    this.reason = reason
  }
}

export type TlsRefusal =
  | 'one_setting'
  | 'unreadable'
  | 'open_to_others'
  | 'no_certificate'
  | 'no_key'
  | 'passphrase'
  | 'other_key'
  | 'expired'
  | 'not_yet_valid'
  | 'unusable'
  | 'other_name'

/** Where a certificate and its key are, with the names of the settings that say so. */
export interface TlsPaths {
  readonly certificate: string
  readonly certificateSetting: string
  readonly key: string
  readonly keySetting: string
}

type ListenerSettings = Pick<Config, 'tlsCertFile' | 'tlsKeyFile' | 'formOrigin' | 'dashboardOrigin' | 'apiOrigin' | 'trustedProxies'>

/** The certificate of API, form and dashboard; null without one. Throws `ExitError` when it cannot be used, or is not for their hosts. */
export function readListenerTls(config: ListenerSettings, nowMs: number): TlsFiles | null {
  const { tlsCertFile, tlsKeyFile } = config
  if (tlsCertFile === null && tlsKeyFile === null) return null
  if (tlsCertFile === null || tlsKeyFile === null) {
    const [given, other] = tlsCertFile === null ? ['KEY', 'CERT'] : ['CERT', 'KEY']
    throw new TlsRefused('one_setting', `TESSERA_TLS_${given}_FILE is set, and TESSERA_TLS_${other}_FILE is not.`, {
      advice: 'Set both, or neither.',
    })
  }
  const paths = {
    certificate: tlsCertFile,
    certificateSetting: 'TESSERA_TLS_CERT_FILE',
    key: tlsKeyFile,
    keySetting: 'TESSERA_TLS_KEY_FILE',
  }
  const files = readTlsFiles(paths, nowMs)
  // Behind a proxy that encrypts to this service, browsers see the certificate of the proxy.
  if (config.trustedProxies === null) requireNames(files, config)
  return files
}

/** Reads a certificate and its key. Throws `ExitError` with the reason why they cannot be used. */
export function readTlsFiles(paths: TlsPaths, nowMs: number): TlsFiles {
  const { certificateSetting, keySetting } = paths
  const certificate = readTlsFile(certificateSetting, paths.certificate)
  const key = readTlsFile(keySetting, paths.key)
  requirePrivate(keySetting, paths.key)
  const parsed = parseCertificate(certificateSetting, paths.certificate, certificate)
  if (!parsed.checkPrivateKey(parseKey(keySetting, paths.key, key))) {
    throw new TlsRefused('other_key', `The key of ${keySetting} is not that of the certificate of ${certificateSetting}.`, {
      advice: 'Correct one of the two paths.',
    })
  }
  requireValidNow(parsed, `The certificate of ${certificateSetting}`, nowMs)
  requireUsable({ certificate, key }, certificateSetting)
  return describeTls({ certificate, key })
}

/** A certificate that was checked before, with what it says. */
export function describeTls({ certificate, key }: ListenerTls): TlsFiles {
  const { validTo, subjectAltName, subject } = new X509Certificate(certificate)
  return { certificate, key, validUntil: Date.parse(validTo), names: subjectAltName ?? subject }
}

/** Reads a file that a setting names. Throws `ExitError` when that is not possible. */
export function readTlsFile(setting: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (err) {
    const code = (err as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new TlsRefused('unreadable', `${setting} names ${path}, which cannot be read (${code}).`, {
      cause: err,
      advice: 'Correct the path, or let the user of the service read the file.',
    })
  }
}

function requirePrivate(setting: string, path: string): void {
  if (isPrivateFile(path)) return
  throw new TlsRefused('open_to_others', `${setting} names ${path}, which other users may read.`, { advice: `chmod 600 ${path}` })
}

function parseCertificate(setting: string, path: string, pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (err) {
    const advice = 'It has to be a PEM file, the certificate of the host first.'
    throw new TlsRefused('no_certificate', `${setting} names ${path}, which is no certificate.`, { advice, cause: err })
  }
}

function parseKey(setting: string, path: string, pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (err) {
    if (pem.includes('ENCRYPTED')) {
      const advice = 'Remove it with: openssl pkey -in <file> -out <file>'
      throw new TlsRefused('passphrase', `${setting} names ${path}, whose key has a passphrase.`, { advice, cause: err })
    }
    const advice = 'It has to be a PEM file with one private key.'
    throw new TlsRefused('no_key', `${setting} names ${path}, which is no private key.`, { advice, cause: err })
  }
}

function requireValidNow({ validFrom, validTo }: X509Certificate, subject: string, nowMs: number): void {
  if (nowMs >= Date.parse(validTo)) throw new TlsRefused('expired', `${subject} expired on ${dateOf(validTo)}.`, { advice: 'Renew it.' })
  if (nowMs >= Date.parse(validFrom)) return
  const advice = 'Check the clock of the machine.'
  throw new TlsRefused('not_yet_valid', `${subject} is not valid before ${dateOf(validFrom)}.`, { advice })
}

/** What only OpenSSL knows, such as a key that is too short. */
function requireUsable(tls: ListenerTls, setting: string): void {
  try {
    requireUsableTls(tls)
  } catch (err) {
    const reason = err instanceof Error ? err.message : String(err)
    const advice = 'Issue one with a key of today: P-256, or RSA of 2048 bits.'
    throw new TlsRefused('unusable', `The certificate of ${setting} cannot be used: ${reason}.`, { advice, cause: err })
  }
}

function requireNames({ certificate, names }: TlsFiles, { formOrigin, dashboardOrigin, apiOrigin }: ListenerSettings): void {
  const parsed = new X509Certificate(certificate)
  const origins = { TESSERA_FORM_ORIGIN: formOrigin, TESSERA_DASHBOARD_ORIGIN: dashboardOrigin, TESSERA_API_ORIGIN: apiOrigin }
  for (const [setting, origin] of Object.entries(origins)) {
    if (origin === null) continue
    const { hostname, protocol } = new URL(origin)
    const address = hostname.replace(/^\[|\]$/g, '')
    const isNamed = isIP(address) === 0 ? parsed.checkHost(hostname) : parsed.checkIP(address)
    if (protocol !== 'https:' || isNamed !== undefined) continue
    throw new TlsRefused('other_name', `The certificate of TESSERA_TLS_CERT_FILE is for ${names}, and not for ${hostname} of ${setting}.`, {
      advice: 'Issue one with all of these names. Where a proxy in front has the certificate for them, name it in TESSERA_TRUSTED_PROXIES.',
    })
  }
}

function dateOf(time: string): string {
  return new Date(time).toISOString().slice(0, 10)
}
