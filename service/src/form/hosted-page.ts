import type { Language } from '@tessera/contract/profile'

import type { FormAssets } from './assets.ts'
import { asInert, expectInert, hashOf } from './document.ts'
import { escapeText } from './plain-page.ts'

/** What the hosted page is told with its document; nothing of it is secret, and the session is not among it. */
export interface HostedFacts {
  readonly merchant: string
  readonly merchantName: string
  /** Null: as the browser asks. */
  readonly locale: Language | null
}

/** `/form/v1/page`: the form for who comes by a link, with no page of a merchant around it. */
export interface HostedPage {
  render(facts: HostedFacts): string
  /** Content-Security-Policy: this script, this style, the form's own frame and calls, and nobody frames it. */
  readonly policy: string
}

export function makeHostedPage({ script, style }: FormAssets['hosted']): HostedPage {
  expectInert([script], style)
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return Object.freeze({
    policy,
    render: (facts: HostedFacts) =>
      `<!doctype html><html lang="${facts.locale ?? 'uz'}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
      `<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escapeText(facts.merchantName)}</title><style>${style}</style></head>` +
      `<body><noscript><p>${escapeText(withoutScript[facts.locale ?? 'uz'])}</p></noscript>` +
      `<script type="application/json" id="tessera">${asInert(facts)}</script><script>${script}</script></body></html>`,
  })
}

const withoutScript: Readonly<Record<Language, string>> = {
  uz: 'Bu sahifaga JavaScript kerak: brauzer sozlamalarida yoqing.',
  ru: 'Этой странице нужен JavaScript: включите его в настройках браузера.',
  en: 'This page needs JavaScript: turn it on in the settings of your browser.',
}
