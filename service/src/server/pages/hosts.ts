/**
 * Makes the check whether a Host header is that of the form's origin. Without a setting, in the test environment, that is 127.0.0.1 at any port; the
 * dashboard is on `localhost`, another site, and neither is served on the other's host.
 */
export function makeIsFormHost(formOrigin: string | null): (host: string | undefined) => boolean {
  if (formOrigin === null) return (host) => host !== undefined && /^127\.0\.0\.1(?::\d+)?$/.test(host)
  const formHost = new URL(formOrigin).host
  return (host) => host?.toLowerCase() === formHost
}

/**
 * Makes the check whether the API is served on a host, by the Host header: on that of its own origin, and on the form's, whose pages call it. Without an
 * origin of its own it is served everywhere, because existing clients send any Host (docs/reference/wire.md#http).
 */
export function makeIsApiHost(apiOrigin: string | null, formOrigin: string | null): (host: string | null) => boolean {
  if (apiOrigin === null) return () => true
  const apiHost = new URL(apiOrigin).host
  const isFormHost = makeIsFormHost(formOrigin)
  return (host) => host !== null && (host.toLowerCase() === apiHost || isFormHost(host))
}

/** The dashboard's host, by the Host header. */
export interface DashboardHost {
  /** Whether a request is for the dashboard's host. Without a setting, in the test environment, it is `localhost` at any port. */
  is(host: string | undefined): boolean
  /** The only origin whose pages may call this host. */
  originOf(host: string): string
  readonly isSecure: boolean
}

export function makeDashboardHost(dashboardOrigin: string | null): DashboardHost {
  if (dashboardOrigin === null) {
    const is = (host: string | undefined): boolean => host !== undefined && /^localhost(?::\d+)?$/.test(host)
    return { is, originOf: (host) => `http://${host}`, isSecure: false }
  }
  const { host: dashboardHost, origin, protocol } = new URL(dashboardOrigin)
  return { is: (host) => host?.toLowerCase() === dashboardHost, originOf: () => origin, isSecure: protocol === 'https:' }
}

/** The URL of the hosted page of a session. The session is in the fragment, which browsers do not send to servers (RFC 3986 §3.5). */
export function hostedPageUrl(
  formOrigin: string,
  { merchantId, session, locale }: { readonly merchantId: string; readonly session: string; readonly locale: string | null },
): string {
  const query = new URLSearchParams({ merchant: merchantId, ...(locale === null ? {} : { locale }) })
  return `${formOrigin}/form/v1/page?${String(query)}#${session}`
}
