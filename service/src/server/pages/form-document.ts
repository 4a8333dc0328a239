import { cspHostOf, cspSourceOf } from '@tessera/contract/origin'
import type { Language } from '@tessera/contract/profile'
import type { CardNetwork } from '@tessera/contract/route'
import type { CodeFormat } from '@tessera/contract/verification-code'

import { scriptHashOf, type DeferredScript, type FrameTexts } from './form-assets.ts'
import type { DisclosedText } from '../../domain/consents/disclosure-text.ts'
import { escapeText } from '../../plain-page.ts'

/** The frame's configuration, part of its document. Nothing in it is secret. */
export interface FrameConfig {
  readonly merchant: string
  readonly merchantName: string
  /** Exact origin of the page that embeds the frame. */
  readonly origin: string
  /** For the form check, which sends a card only in the test environment. */
  readonly environment: 'test' | 'production'
  readonly providerName: string
  readonly providerUrl: string
  readonly termsUrl: string
  readonly privacyUrl: string
  /** The payment systems whose cards the service accepts, in the order of its networks. */
  readonly accepted: readonly CardNetwork[]
  readonly messages: FrameMessages
  /** What codes look like by the policy of the service; a network may have another, which the reply to the request for a code says. */
  readonly code: CodeFormat
  /** The token of this document, which is sent back with the card. */
  readonly form: string
}

/** The frame's messages in one language, with the disclosure in the same language, so that the cardholder agrees to the text that was shown. */
export interface FrameMessages {
  readonly locale: Language
  readonly texts: FrameTexts
  readonly disclosure: DisclosedText & { readonly version: string }
}

/** The form's document. Script, style and configuration are inline, so that one request loads it. */
export interface FormDocument {
  render(config: FrameConfig): string
  /**
   * Content-Security-Policy (W3C CSP 3): only these scripts and this style, calls only to the form's own origin, framed only by `ancestor`. Throws if that
   * is not an origin. `host` is the document's own, by the Host header: the scripts that are loaded later are allowed by their exact addresses there.
   */
  policy(ancestor: string, host: string): string
}

export interface FormDocumentOptions {
  /** In the order in which they run. */
  readonly scripts: readonly string[]
  /** Those that the document loads later, in the order that browser/frame/load-script.ts knows. */
  readonly later: readonly DeferredScript[]
  readonly style: string
  /** The CSP source that the document may call. */
  readonly connect: "'self'" | "'none'"
}

export function makeFormDocument({ scripts, later, style, connect }: FormDocumentOptions): FormDocument {
  assertInert(scripts, style)
  const scriptSource = `script-src ${scripts.map(cspHashOf).join(' ')}`
  const otherDirectives = [
    `style-src ${cspHashOf(style)}`,
    `connect-src ${connect}`,
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  const inline = scripts.map((script) => `<script>${script}</script>`).join('')
  // Inert: the document's script inserts a copy of what it needs. A script may not write an address itself (Trusted Types).
  const elements = later.map(({ path, integrity }) => `<script src="${path}" integrity="${integrity}"></script>`)
  const template = `<template>${elements.join('')}</template>`
  return Object.freeze({
    render: (config: FrameConfig) =>
      `<!doctype html><html lang="${config.messages.locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
      `<meta name="color-scheme" content="light dark"><title>${escapeText(config.providerName)}</title><style>${style}</style></head>` +
      `<body>${template}<script type="application/json" id="tessera">${toInertJson(config)}</script>${inline}</body></html>`,
    policy: (ancestor: string, host: string) =>
      `default-src 'none'; ${[scriptSource, ...later.map(({ path }) => cspHostOf(host) + path)].join(' ')}; ${otherDirectives}; frame-ancestors ${cspSourceOf(ancestor)}`,
  })
}

/** Throws if a script or style would close its own element. */
export function assertInert(scripts: readonly string[], style: string): void {
  for (const [what, text] of [...scripts.map((script) => ['script', script] as const), ['style', style] as const]) {
    if (new RegExp(`</${what}|<!--`, 'i').test(text)) throw new Error(`the form's ${what} would end its own element`)
  }
}

/** The CSP source expression for exactly this text. */
export function cspHashOf(text: string): string {
  return `'${scriptHashOf(text)}'`
}

/** JSON that cannot close its script element, whatever the name of a merchant contains. */
export function toInertJson(value: object): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
