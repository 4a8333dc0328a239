/** A page of text; `body` is HTML already. */
export function plainPage(title: string, body: string, language = 'en'): string {
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="color-scheme" content="light dark"><title>${escapeText(title)}</title></head>` +
    `<body><h1>${escapeText(title)}</h1>${body}</body></html>`
  )
}

/** Nothing but text. */
export const plainPolicy = "default-src 'none'; form-action 'none'; base-uri 'none'"

export function escapeText(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
