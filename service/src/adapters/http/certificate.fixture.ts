import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

/** A certificate with its key, both PEM. */
export interface CertificateWithKey {
  readonly cert: string
  readonly key: string
}

export interface Authority {
  readonly cert: string
  /** Issues a certificate for one DNS name, valid from a day ago until `daysLeft` days from now. */
  certify(name: string, daysLeft?: number, options?: CertifyOptions): CertificateWithKey
}

export interface CertifyOptions {
  /** More DNS names. */
  readonly others?: readonly string[]
  /** An RSA key of so many bits. Default: P-256. */
  readonly rsaBits?: number
}

/** A certificate authority for one test (RFC 5280, P-256). No key is stored in the repository, and no external program is needed. */
export function makeAuthority(name: string): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const isAuthority = sequence(oid('551d13'), der(0x01, [0xff]), der(0x04, sequence(der(0x01, [0xff]))))
  const own = { subject: name, publicKey, extension: isAuthority, daysLeft: 1 }
  return {
    cert: signCertificate(own, name, privateKey),
    certify(host, daysLeft = 1, { others = [], rsaBits = 0 } = {}) {
      const pair = rsaBits > 0 ? generateKeyPairSync('rsa', { modulusLength: rsaBits }) : generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const names = [host, ...others].map((name) => der(0x82, Buffer.from(name)))
      const altName = sequence(oid('551d11'), der(0x04, sequence(...names)))
      const cert = signCertificate({ subject: host, publicKey: pair.publicKey, extension: altName, daysLeft }, name, privateKey)
      return { cert, key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    },
  }
}

interface CertificateRequest {
  readonly subject: string
  readonly publicKey: KeyObject
  readonly extension: Buffer
  readonly daysLeft: number
}

function signCertificate({ subject, publicKey, extension, daysLeft }: CertificateRequest, issuer: string, issuerKey: KeyObject): string {
  serial += 1
  const algorithm = sequence(oid('2a8648ce3d040302'))
  const now = Date.now()
  const validity = sequence(utcTime(Math.min(now, now + daysLeft * dayMs) - dayMs), utcTime(now + daysLeft * dayMs))
  const version = der(0xa0, der(0x02, [2]))
  const body = sequence(
    version,
    der(0x02, [1, serial]),
    algorithm,
    nameOf(issuer),
    validity,
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  )
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, issuerKey)]))
  const text =
    sequence(body, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${text.join('\n')}\n-----END CERTIFICATE-----\n`
}

function nameOf(subject: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(subject)))))
}

function utcTime(unixMs: number): Buffer {
  const text = new Date(unixMs).toISOString().replace(/[-:T]/g, '')
  return der(0x17, Buffer.from(`${text.slice(2, 14)}Z`))
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function sequence(...elements: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(elements))
}

/** One value of X.690: tag, length, contents. */
function der(tag: number, contents: Uint8Array | readonly number[]): Buffer {
  const inside = Buffer.from(contents)
  const { length } = inside
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), inside])
}

let serial = 0
const dayMs = 24 * 3_600_000
