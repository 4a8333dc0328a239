/** Where the dashboard is, as the Host header tells it. */
export interface DashboardHost {
  /** Whether a request is for the dashboard's host. Without a setting, in the test environment, it is `localhost`, whatever the port. */
  is(host: string | undefined): boolean
  /** The one origin whose pages may call, for a request to this host. */
  originOf(host: string): string
  readonly isSecure: boolean
}

export function makeDashboardHost(dashboardOrigin: string | null): DashboardHost {
  if (dashboardOrigin === null) {
    const is = (host: string | undefined): boolean => host !== undefined && /^localhost(?::\d+)?$/.test(host)
    return { is, originOf: (host) => `http://${host}`, isSecure: false }
  }
  const { host: asked, origin, protocol } = new URL(dashboardOrigin)
  return { is: (host) => host?.toLowerCase() === asked, originOf: () => origin, isSecure: protocol === 'https:' }
}
