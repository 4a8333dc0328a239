import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

import type { CertificateWithKey } from '../http/certificate.fixture.ts'

/**
 * A double of the transit engine of HashiCorp Vault and OpenBao, which no package registry of Debian or npm has: an HTTP server on loopback with the paths,
 * bodies and statuses of their documented API (`/v1/transit/encrypt|decrypt|keys`, `/v1/auth/token/renew-self`). A service calls it over TLS, since the
 * adapter of a service speaks https only; a test of the adapter alone does without.
 */
export interface TransitEngineDouble {
  readonly url: URL
  readonly calls: string[]
  /** The token that it accepts; null refuses every one. */
  token: string | null
  /** Seconds; 0 for a token that cannot be renewed, null for one that may not. */
  leaseSeconds: number | null
  /** Replaces the reply of each call. */
  failure: { readonly status: number; readonly body: string } | null
  /** Called with the path of each call before it is answered; may set `failure`. */
  onCall: (path: string) => void
  close(): Promise<void>
}

/** `tls`: a certificate for `localhost`, PEM. Default: http. */
export async function startTransitEngine(tls: CertificateWithKey | null = null): Promise<TransitEngineDouble> {
  const keys = new Map<string, Buffer>()
  const handle: RequestListener = (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      const path = request.url ?? ''
      double.calls.push(path)
      double.onCall(path)
      const { status, reply } = answer(path, String(request.headers['x-vault-token']), JSON.parse(body) as Readonly<Record<string, string>>)
      response.writeHead(status, { 'content-type': 'application/json' }).end(reply)
    })
  }
  const server = tls === null ? createServer(handle) : createTlsServer(tls, handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const double: TransitEngineDouble = {
    url: new URL(`${tls === null ? 'http://127.0.0.1' : 'https://localhost'}:${String((server.address() as AddressInfo).port)}`),
    calls: [],
    token: 'token-1',
    leaseSeconds: 0,
    failure: null,
    onCall: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return double

  function answer(path: string, token: string, body: Readonly<Record<string, string>>): { status: number; reply: string } {
    if (double.failure !== null) return { status: double.failure.status, reply: double.failure.body }
    if (token !== double.token) return { status: 403, reply: '{"errors":["permission denied"]}' }
    if (path === '/v1/auth/token/renew-self') return renew()
    const found = /^\/v1\/transit\/(encrypt|decrypt|keys)\/([\w-]+)$/.exec(path)
    if (found === null) return { status: 404, reply: '{"errors":[]}' }
    const [, action = '', name = ''] = found
    if (action === 'keys') {
      if (!keys.has(name)) keys.set(name, randomBytes(32))
      return { status: 200, reply: '{}' }
    }
    const key = keys.get(name)
    if (key === undefined) return { status: 400, reply: '{"errors":["encryption key not found"]}' }
    const associated = Buffer.from(body['associated_data'] ?? '', 'base64')
    return action === 'encrypt' ? encrypt(key, body['plaintext'] ?? '', associated) : decrypt(key, body['ciphertext'] ?? '', associated)
  }

  function renew(): { status: number; reply: string } {
    if (double.leaseSeconds === null) return { status: 403, reply: '{"errors":["permission denied"]}' }
    if (double.leaseSeconds === 0) return { status: 400, reply: '{"errors":["lease is not renewable"]}' }
    return { status: 200, reply: JSON.stringify({ auth: { lease_duration: double.leaseSeconds, renewable: true } }) }
  }
}

function encrypt(key: Buffer, plaintext: string, associated: Buffer): { status: number; reply: string } {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated)
  const sealed = Buffer.concat([nonce, cipher.update(plaintext, 'base64'), cipher.final(), cipher.getAuthTag()])
  return { status: 200, reply: JSON.stringify({ data: { ciphertext: `vault:v1:${sealed.toString('base64')}`, key_version: 1 } }) }
}

function decrypt(key: Buffer, ciphertext: string, associated: Buffer): { status: number; reply: string } {
  const sealed = Buffer.from(/^vault:v1:(.+)$/.exec(ciphertext)?.[1] ?? '', 'base64')
  if (sealed.length < 28) return { status: 400, reply: '{"errors":["invalid ciphertext"]}' }
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(associated).setAuthTag(sealed.subarray(-16))
  try {
    const plain = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()])
    return { status: 200, reply: JSON.stringify({ data: { plaintext: plain.toString('base64') } }) }
  } catch {
    return { status: 400, reply: '{"errors":["cipher: message authentication failed"]}' }
  }
}
