import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { FormAssets } from './assets.ts'
import { makeFormDocument, type FrameFacts } from './document.ts'
import { pageHeaders } from './headers.ts'
import { readOrigin } from './host.ts'

export interface PreviewParts {
  readonly assets: Pick<FormAssets, 'script' | 'guard' | 'preview' | 'style'>
  /** Null: `localhost`, whatever the port. */
  readonly dashboardOrigin: string | null
}

/**
 * `/form/v1/preview`: the form's own script and style for the dashboard's form builder, framed by the dashboard alone. It takes no card: the service is played in the
 * document, whose policy lets it call nobody, and no form is issued for it, so the service would take nothing from it either.
 */
export function servePreview(
  app: FastifyInstance,
  { assets: { script, guard, preview, style }, dashboardOrigin }: PreviewParts,
  factsOf: (query: FastifyRequest['query']) => Promise<Omit<FrameFacts, 'origin' | 'form'> | null>,
): void {
  const document = makeFormDocument({ scripts: [preview, guard, script], style, connect: "'none'" })
  app.get('/form/v1/preview', async (request, reply) => {
    const origin = readOrigin((request.query as Readonly<Record<string, unknown>>)['origin'])
    const facts = origin === null || !isDashboard(origin, dashboardOrigin) ? null : await factsOf(request.query)
    if (origin === null || facts === null) {
      reply.callNotFound()
      return reply
    }
    return reply
      .headers({ ...pageHeaders, 'content-security-policy': document.policy(origin) })
      .send(document.render({ ...facts, origin, form: '' }))
  })
}

function isDashboard(origin: string, dashboardOrigin: string | null): boolean {
  return dashboardOrigin === null ? /^http:\/\/localhost(?::\d+)?$/.test(origin) : origin === new URL(dashboardOrigin).origin
}
