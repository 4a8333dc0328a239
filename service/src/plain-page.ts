// Pages of text without script, for the server and for the texts of the test environment.

/** A page of text; `body` is HTML. A page with a style allows it in its policy by its hash. */
export function plainPage(title: string, body: string, language = 'en', style = ''): string {
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="color-scheme" content="light dark"><title>${escapeText(title)}</title>${style === '' ? '' : `<style>${style}</style>`}</head>` +
    `<body><h1>${escapeText(title)}</h1>${body}</body></html>`
  )
}

const textPolicy = "default-src 'none'; form-action 'none'; base-uri 'none'"
/** The Content-Security-Policy of a page of text in a window of its own. */
export const plainPolicy = `${textPolicy}; frame-ancestors 'none'`
/** The same for a page in a frame of any page. */
export const framedTextPolicy = `${textPolicy}; frame-ancestors *`

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
