import { createHash } from 'node:crypto'

import type { Language } from '@tessera/contract/profile'

import type { FrameTexts } from './assets.ts'
import type { DisclosedText } from './disclosure.ts'
import { escapeText } from './plain-page.ts'

/** What the frame is told with its document; nothing of it is secret. */
export interface FrameFacts {
  readonly merchant: string
  readonly merchantName: string
  /** Of the page that holds the frame, exactly. */
  readonly origin: string
  /** For the form check, which sends a card in the test environment alone. */
  readonly environment: 'test' | 'production'
  readonly providerName: string
  readonly termsUrl: string
  readonly privacyUrl: string
  readonly words: FrameWords
  /** Names this document to the service; it comes back with the card. */
  readonly form: string
}

/** What the frame says in one language; with it the disclosure in that language, so that what is agreed to is what was shown. */
export interface FrameWords {
  readonly locale: Language
  readonly texts: FrameTexts
  readonly disclosure: DisclosedText & { readonly version: string }
}

/** The one document of the form: script, style and facts within it, so that it takes one request. */
export interface FormDocument {
  render(facts: FrameFacts): string
  /** Content-Security-Policy (W3C CSP 3): only this script and this style, calls only to the form's own origin, framed by `ancestor` alone. */
  policy(ancestor: string): string
}

export interface DocumentParts {
  /** In the order in which they run. */
  readonly scripts: readonly string[]
  readonly style: string
  /** Whom the document may call: its own origin, or nobody. */
  readonly connect: "'self'" | "'none'"
}

export function makeFormDocument({ scripts, style, connect }: DocumentParts): FormDocument {
  expectInert(scripts, style)
  const fixed = [
    "default-src 'none'",
    `script-src ${scripts.map(hashOf).join(' ')}`,
    `style-src ${hashOf(style)}`,
    `connect-src ${connect}`,
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  const inline = scripts.map((script) => `<script>${script}</script>`).join('')
  return Object.freeze({
    render: (facts: FrameFacts) =>
      `<!doctype html><html lang="${facts.words.locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
      `<meta name="color-scheme" content="light dark"><title>${escapeText(facts.providerName)}</title><style>${style}</style></head>` +
      `<body><script type="application/json" id="tessera">${asInert(facts)}</script>${inline}</body></html>`,
    policy: (ancestor: string) => `${fixed}; frame-ancestors ${ancestor}`,
  })
}

/** Throws for a script or a style that would end the element it stands in. */
export function expectInert(scripts: readonly string[], style: string): void {
  for (const [what, text] of [...scripts.map((script) => ['script', script] as const), ['style', style] as const]) {
    if (new RegExp(`</${what}|<!--`, 'i').test(text)) throw new Error(`the form's ${what} would end its own element`)
  }
}

/** A source of a CSP that is exactly this text. */
export function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`
}

/** JSON that cannot end the element it stands in, whatever a merchant is called. */
export function asInert(value: object): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
