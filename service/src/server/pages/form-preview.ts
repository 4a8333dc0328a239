import { readOrigin } from '@tessera/contract/origin'

import type { PageReply, PageRequest } from '../http/page-routes.ts'

import type { FormAssets } from './form-assets.ts'
import { makeFormDocument, type FrameConfig } from './form-document.ts'
import { pageHeaders } from './form-headers.ts'

export interface FormPreviewOptions {
  readonly assets: Pick<FormAssets, 'script' | 'deferred' | 'appearance' | 'preview' | 'style'>
  /** Null: `localhost` at any port. */
  readonly dashboardOrigin: string | null
}

/**
 * `/form/v1/preview`: the form's own script and style for the form builder of the dashboard, framed only by the dashboard. It takes no card: the
 * document simulates the service, its policy allows no calls, and it has no form token, so the service would accept nothing from it.
 */
export function previewRoute(
  { assets: { script, deferred, appearance, preview, style }, dashboardOrigin }: FormPreviewOptions,
  findFrameConfig: (query: URLSearchParams) => Promise<Omit<FrameConfig, 'origin' | 'form'> | null>,
): (request: PageRequest) => Promise<PageReply | null> {
  const document = makeFormDocument({ scripts: [preview, script], later: [deferred, appearance], style, connect: "'none'" })
  return async ({ query, headers: { host = '' } }) => {
    const [given, ...more] = query.getAll('origin')
    const origin = more.length === 0 ? readOrigin(given) : null
    if (origin === null || !isDashboard(origin, dashboardOrigin)) return null
    const config = await findFrameConfig(query)
    if (config === null) return null
    const headers = { ...pageHeaders, 'content-security-policy': document.policy(origin, host) }
    return { headers, body: document.render({ ...config, origin, form: '' }) }
  }
}

function isDashboard(origin: string, dashboardOrigin: string | null): boolean {
  return dashboardOrigin === null ? /^http:\/\/localhost(?::\d+)?$/.test(origin) : origin === new URL(dashboardOrigin).origin
}
