import { createHash } from 'node:crypto'

import type { Language } from '@tessera/contract/profile'

// Pages of text without script: terms, privacy, reasons, refusals, and what is at the service's addresses.

export interface TextPage {
  readonly title: string
  /** HTML. */
  readonly body: string
  readonly language: Language
  /** The page's path, when it is there in each language: then it links to the others. */
  readonly path?: string
  /** Whether any page may frame it. */
  readonly isFramed?: boolean
}

/** A page of text, and its Content-Security-Policy, which allows its own style by its hash and nothing else. */
export function textPage({ title, body, language, path, isFramed = false }: TextPage): LegalPage {
  const heading = escapeText(title)
  const html =
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="color-scheme" content="light dark"><title>${heading}</title><style>${style}</style></head>` +
    `<body><main><h1>${heading}</h1>${body}</main>${path === undefined ? '' : languageLinks(path, language)}</body></html>`
  return { html, policy: `${textPolicy}; frame-ancestors ${isFramed ? '*' : "'none'"}` }
}

function languageLinks(path: string, language: Language): string {
  const links = Object.entries(languageNames).map(([each, name]) =>
    each === language
      ? `<span lang="${each}" aria-current="true">${name}</span>`
      : `<a lang="${each}" hreflang="${each}" href="${escapeText(path)}?locale=${each}">${name}</a>`,
  )
  return `<nav aria-label="${languageWords[language]}">${links.join('')}</nav>`
}

export function escapeText(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** One page, in the requested language or in English. */
export interface LegalPage {
  readonly html: string
  readonly policy: string
}

/** Terms and privacy where the provider has no pages of its own, by path. */
export interface LegalPages {
  readonly pages: ReadonlyMap<string, (language: string) => LegalPage>
}

const languageNames: Readonly<Record<Language, string>> = { uz: 'Oʻzbekcha', ru: 'Русский', en: 'English' }
const languageWords: Readonly<Record<Language, string>> = { uz: 'Til', ru: 'Язык', en: 'Language' }

/** The hosted page's look, without its panes. */
const style =
  ':root{color-scheme:light dark;--text:#16191f;--muted:#59616e;--ground:#f3f5f8;--panel:#fff;--line:#d9dee6;--link:#0b47b8}' +
  '@media(prefers-color-scheme:dark){:root{--text:#f1f3f6;--muted:#a9b1be;--ground:#0d1014;--panel:#14171c;--line:#333a45;--link:#a5c5ff}}' +
  '*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;' +
  'padding:clamp(.5rem,6vh,4rem) clamp(.5rem,4vw,2rem);overflow-wrap:anywhere}' +
  'main{max-width:40rem;margin:0 auto;padding:clamp(1.25rem,5vw,2.5rem);background:var(--panel);border:1px solid var(--line);border-radius:16px}' +
  'h1{font-size:clamp(1.25rem,5.6vw,1.5rem);line-height:1.25;letter-spacing:-.01em;margin:0 0 1rem}h2{font-size:1.125rem;margin:2rem 0 .5rem}' +
  'p{margin:0 0 .75rem}p:last-child{margin:0}a{color:var(--link);text-underline-offset:3px}small{color:var(--muted);font-size:.875rem}' +
  'dl{margin:1.5rem 0 0}dt{margin:0;padding:1rem 0 0;border-top:1px solid var(--line);scroll-margin-top:1rem}dd{margin:.25rem 0 0}dd:has(+dt){margin-bottom:1rem}' +
  'dt:target code{background:#ffe9a8;color:#241a00}.hint{color:var(--muted);font-size:.9375rem}code{font:600 .9375rem/1.4 ui-monospace,Menlo,Consolas,monospace;border-radius:4px;padding:.1em .3em;margin-inline-start:-.3em}' +
  'nav{display:flex;flex-wrap:wrap;justify-content:center;gap:.25rem 1.25rem;margin:1.25rem 0 0;font-size:.875rem}nav a,nav span{display:inline-block;padding:.6rem .25rem;color:var(--muted)}nav span{color:var(--text);font-weight:600}'

const textPolicy =
  "default-src 'none'; form-action 'none'; base-uri 'none'; " + `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`
