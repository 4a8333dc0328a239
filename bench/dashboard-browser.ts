import { Agent, request } from 'node:http'
import { findProof, type ProofChallenge } from '../contract/src/proof-of-work.ts'

/** A browser at the dashboard's endpoint, on an address of its own of this machine, with the cookies that it was given. */
export interface DashboardVisitor {
  call(method: string, params: object): Promise<DashboardReply>
  /** Signs in as the page does: solves what it is asked to, and comes back when there was no room. Ends with the first other reply. */
  signIn(credentials: DashboardCredentials): Promise<string>
  /** A copy with the cookie of the known device, without the session, on another address. */
  onSameDevice(address: string): DashboardVisitor
  close(): void
}

export interface DashboardCredentials {
  readonly phone: string
  readonly password: string
  readonly code?: string
}

interface DashboardReply {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly reason: string; readonly retry_after?: number }
}

export function openDashboardBrowser(url: string, address: string, cookies = new Map<string, string>()): DashboardVisitor {
  const { port } = new URL(url)
  const origin = `http://localhost:${port}`
  const agent = new Agent({ keepAlive: true, localAddress: address })
  let csrf = ''

  function call(method: string, params: object): Promise<DashboardReply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = {
      host: `localhost:${port}`,
      origin,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-tessera-csrf': csrf,
      ...(cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
    }
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path: '/dashboard/api', method: 'POST', agent, headers }, (response) => {
        for (const cookie of response.headers['set-cookie'] ?? []) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
          cookies.set(name, value)
        }
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()) as DashboardReply))
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  async function signIn(credentials: DashboardCredentials): Promise<string> {
    let proof: object | undefined
    for (;;) {
      const { result, error } = await call('dashboard.session.signIn', { ...credentials, ...(proof === undefined ? {} : { proof }) })
      proof = undefined
      if (result?.['needs'] === 'proof') proof = await solve(result['proof'] as ProofChallenge)
      else if (error?.reason === 'overloaded') await pause(500)
      else if (result?.['needs'] === null) {
        const { session } = (await call('dashboard.session.get', {})).result as { session: { csrf: string } }
        csrf = session.csrf
        return 'signed_in'
      } else return error?.reason ?? (result?.['needs'] === 'totp' ? 'totp' : 'unknown')
    }
  }

  return {
    call,
    signIn,
    onSameDevice: (other) => openDashboardBrowser(url, other, new Map([...cookies].filter(([name]) => name.endsWith('device')))),
    close: () => agent.destroy(),
  }
}

/** In steps, so that other requests go on. */
export async function solve(proofChallenge: ProofChallenge): Promise<{ challenge: string; nonce: number }> {
  for (let from = 0; ; from += stepHashes) {
    const nonce = findProof(proofChallenge, { from, count: stepHashes })
    if (nonce !== null) return { challenge: proofChallenge.challenge, nonce }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

const stepHashes = 5000
