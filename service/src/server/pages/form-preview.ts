import type { PageReply, PageRequest } from '../http/page-routes.ts'

import type { FormAssets } from './form-assets.ts'
import { makeFormDocument, type FrameConfig } from './form-document.ts'
import { pageHeaders } from './form-headers.ts'
import { readOrigin } from './hosts.ts'

export interface FormPreviewOptions {
  readonly assets: Pick<FormAssets, 'script' | 'guard' | 'preview' | 'style'>
  /** Null: `localhost`, whatever the port. */
  readonly dashboardOrigin: string | null
}

/**
 * `/form/v1/preview`: the form's own script and style for the dashboard's form builder, framed by the dashboard alone. It takes no card: the
 * document plays the service, its policy lets it call nobody, and no form is issued for it, so the service would take nothing from it either.
 */
export function previewRoute(
  { assets: { script, guard, preview, style }, dashboardOrigin }: FormPreviewOptions,
  findFrameFacts: (query: URLSearchParams) => Promise<Omit<FrameConfig, 'origin' | 'form'> | null>,
): (request: PageRequest) => Promise<PageReply | null> {
  const document = makeFormDocument({ scripts: [preview, guard, script], style, connect: "'none'" })
  return async ({ query }) => {
    const [given, ...more] = query.getAll('origin')
    const origin = more.length === 0 ? readOrigin(given) : null
    if (origin === null || !isDashboard(origin, dashboardOrigin)) return null
    const facts = await findFrameFacts(query)
    if (facts === null) return null
    const headers = { ...pageHeaders, 'content-security-policy': document.policy(origin) }
    return { headers, body: document.render({ ...facts, origin, form: '' }) }
  }
}

function isDashboard(origin: string, dashboardOrigin: string | null): boolean {
  return dashboardOrigin === null ? /^http:\/\/localhost(?::\d+)?$/.test(origin) : origin === new URL(dashboardOrigin).origin
}
