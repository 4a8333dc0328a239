import type { PageRoute } from '../../server/http/page-routes.ts'

export interface HealthDependencies {
  /** What /readyz says: 200 when `ready`, otherwise 503. */
  readonly readiness: () => Promise<{ readonly ready: boolean }>
  /** The page of /metrics. */
  readonly metrics: () => Promise<string>
}

/**
 * For monitoring, on the admin port: `/healthz` says that the process answers, `/readyz` whether to send it work, `/metrics` its metrics in the
 * Prometheus text format.
 */
export function healthRoutes({ readiness, metrics }: HealthDependencies): readonly PageRoute[] {
  const route = (path: string, handle: PageRoute['handle']): PageRoute => ({ method: 'GET', host: anyHost, path, handle })
  return [
    route('/healthz', () => ({ headers: json, body: '{"alive":true}' })),
    route('/readyz', async () => {
      const body = await readiness()
      return { status: body.ready ? 200 : 503, headers: json, body: JSON.stringify(body) }
    }),
    route('/metrics', async () => ({ headers: text, body: await metrics() })),
  ]
}

/** The admin server has looked at the host before. */
const anyHost = (): boolean => true
const json = { 'content-type': 'application/json; charset=utf-8' }
const text = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
