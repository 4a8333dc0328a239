import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'

/** What /readyz tells; 200 when `ready`, 503 when not. */
export interface Readiness {
  readonly ready: boolean
  readonly [fact: string]: unknown
}

export interface AdminParts {
  readonly readiness: () => Promise<Readiness>
  readonly metrics: () => string
}

/**
 * The listener of the night shift, on loopback only: `/healthz` says that the process answers, `/readyz` whether to send it work, `/metrics`
 * its figures in the Prometheus text format. It takes no body, no parameters and no changes.
 */
export function buildAdmin(parts: AdminParts): FastifyInstance {
  const http = fastify({ logger: false, bodyLimit: 1024, exposeHeadRoutes: true, requestTimeout: 5000, forceCloseConnections: true })
  http.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    // A page in the operator's browser can reach loopback under a name of its own; it is answered to none but the literal ones.
    if (!isLoopbackHost(request.headers.host)) await reply.code(421).send({ error: 'ask for 127.0.0.1 or localhost' })
  })
  http.get('/healthz', () => ({ alive: true }))
  http.get('/readyz', async (_request, reply) => {
    const readiness = await parts.readiness()
    return reply.code(readiness.ready ? 200 : 503).send(readiness)
  })
  http.get('/metrics', (_request, reply) => reply.type('text/plain; version=0.0.4; charset=utf-8').send(parts.metrics()))
  return http
}

function isLoopbackHost(host: string | undefined): boolean {
  return host === undefined || /^(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?$/.test(host)
}
