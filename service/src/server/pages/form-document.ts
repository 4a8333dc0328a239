import { createHash } from 'node:crypto'

import type { Language } from '@tessera/contract/profile'

import type { FrameTexts } from './form-assets.ts'
import type { DisclosedText } from '../../domain/consents/disclosure-text.ts'
import { escapeText } from './plain-pages.ts'

/** The frame's configuration, part of its document; nothing of it is secret. */
export interface FrameConfig {
  readonly merchant: string
  readonly merchantName: string
  /** Of the page that holds the frame, exactly. */
  readonly origin: string
  /** For the form check, which sends a card in the test environment alone. */
  readonly environment: 'test' | 'production'
  readonly providerName: string
  readonly termsUrl: string
  readonly privacyUrl: string
  readonly words: FrameMessages
  /** The token of this document; it comes back with the card. */
  readonly form: string
}

/** The frame's messages in one language, with the disclosure in that language, so that what is agreed to is what was shown. */
export interface FrameMessages {
  readonly locale: Language
  readonly texts: FrameTexts
  readonly disclosure: DisclosedText & { readonly version: string }
}

/** The form's document. Script, style and configuration are inline, so that it takes one request. */
export interface FormDocument {
  render(facts: FrameConfig): string
  /** Content-Security-Policy (W3C CSP 3): only this script and this style, calls only to the form's own origin, framed by `ancestor` alone. */
  policy(ancestor: string): string
}

export interface FormDocumentOptions {
  /** In the order in which they run. */
  readonly scripts: readonly string[]
  readonly style: string
  /** What the document may call: its own origin, or nothing. */
  readonly connect: "'self'" | "'none'"
}

export function makeFormDocument({ scripts, style, connect }: FormDocumentOptions): FormDocument {
  assertInert(scripts, style)
  const fixed = [
    "default-src 'none'",
    `script-src ${scripts.map(cspHashOf).join(' ')}`,
    `style-src ${cspHashOf(style)}`,
    `connect-src ${connect}`,
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  const inline = scripts.map((script) => `<script>${script}</script>`).join('')
  return Object.freeze({
    render: (facts: FrameConfig) =>
      `<!doctype html><html lang="${facts.words.locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
      `<meta name="color-scheme" content="light dark"><title>${escapeText(facts.providerName)}</title><style>${style}</style></head>` +
      `<body><script type="application/json" id="tessera">${toInertJson(facts)}</script>${inline}</body></html>`,
    policy: (ancestor: string) => `${fixed}; frame-ancestors ${ancestor}`,
  })
}

/** Throws for a script or a style that would close its own element. */
export function assertInert(scripts: readonly string[], style: string): void {
  for (const [what, text] of [...scripts.map((script) => ['script', script] as const), ['style', style] as const]) {
    if (new RegExp(`</${what}|<!--`, 'i').test(text)) throw new Error(`the form's ${what} would end its own element`)
  }
}

/** A source of a CSP that is exactly this text. */
export function cspHashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`
}

/** JSON that cannot close its own element, whatever a merchant is called. */
export function toInertJson(value: object): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
