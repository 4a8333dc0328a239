import type { Language } from '@tessera/contract/profile'

import type { FormAssets } from './form-assets.ts'
import { toInertJson, assertInert, cspHashOf } from './form-document.ts'
import { escapeText } from '../../plain-page.ts'

/** The hosted page's configuration, part of its document. Nothing of it is secret; the session is not in it. */
export interface HostedPageConfig {
  readonly merchant: string
  readonly merchantName: string
  /** Null: the language of the browser. */
  readonly locale: Language | null
  readonly environment: 'test' | 'production'
  readonly providerName: string
  readonly providerUrl: string
  /** Path of the merchant's logo; '' without one. */
  readonly logo: string
  /** `#rrggbb`, or '' for the page's own color. */
  readonly brandColor: string
}

/** `/form/v1/page`: the form behind a link, without a page of the merchant around it. */
export interface HostedPage {
  render(config: HostedPageConfig): string
  /** Content-Security-Policy: only this script and style, frames and calls only of its own origin; it cannot be framed. */
  readonly policy: string
}

export function makeHostedPage({ script, style }: FormAssets['hosted']): HostedPage {
  assertInert([script], style)
  const policy = [
    "default-src 'none'",
    `script-src ${cspHashOf(script)}`,
    `style-src ${cspHashOf(style)}`,
    "connect-src 'self'",
    "img-src 'self'",
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return Object.freeze({
    policy,
    render: (config: HostedPageConfig) =>
      `<!doctype html><html lang="${config.locale ?? 'uz'}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
      `<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escapeText(config.merchantName)}</title><style>${style}</style></head>` +
      `<body><noscript><p>${escapeText(withoutScript[config.locale ?? 'uz'])}</p></noscript>` +
      `<script type="application/json" id="tessera">${toInertJson(config)}</script><script>${script}</script></body></html>`,
  })
}

const withoutScript: Readonly<Record<Language, string>> = {
  uz: 'Bu sahifaga JavaScript kerak: brauzer sozlamalarida yoqing.',
  ru: 'Этой странице нужен JavaScript: включите его в настройках браузера.',
  en: 'This page needs JavaScript: turn it on in the settings of your browser.',
}
