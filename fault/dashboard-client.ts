export interface DashboardLogin {
  readonly phone: string
  readonly password: string
}

/** A browser that is signed in to the dashboard of a running service. */
export interface DashboardSession {
  /** The session's id: the part of the cookie before the secret. */
  readonly sessionId: string
  /** The result, or the reason why it was refused. */
  call(method: string, params: object): Promise<DashboardReply>
}

export type DashboardReply = { readonly result: Readonly<Record<string, unknown>> } | { readonly reason: string }

/** Signs in as the sign-in page does; null when that is refused. */
export async function signInToDashboard(serviceUrl: string, { phone, password }: DashboardLogin): Promise<DashboardSession | null> {
  // The dashboard is not served by the address of the API.
  const origin = serviceUrl.replace('127.0.0.1', 'localhost')
  let [cookie, csrf] = ['', '']
  const call = async (method: string, params: object): Promise<DashboardReply> => {
    const headers = {
      'content-type': 'application/json',
      origin,
      'sec-fetch-site': 'same-origin',
      cookie,
      'x-tessera-csrf': csrf,
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(`${origin}/dashboard/api`, { method: 'POST', headers, body })
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
    const { result, error } = (await response.json()) as { result?: Record<string, unknown>; error?: { reason?: string } }
    return result === undefined ? { reason: error?.reason ?? `http_${response.status}` } : { result }
  }
  const signedIn = await call('dashboard.session.signIn', { phone, password })
  if ('reason' in signedIn) return null
  const own = await call('dashboard.session.get', {})
  if ('reason' in own) return null
  csrf = (own.result['session'] as { csrf?: string } | null)?.csrf ?? ''
  return { sessionId: cookie.split('=')[1]?.slice(0, 24) ?? '', call }
}
