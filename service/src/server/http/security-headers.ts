/**
 * Headers of every reply that is no page and no file: JSON of the API, problems, health. Nothing in it is to be rendered, framed, guessed or loaded by another
 * site's page without CORS (OWASP REST Security Cheat Sheet, Security Headers).
 */
export const dataHeaders: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
})

/** The same as a list of names and values, as node takes it fastest. */
export const dataHeaderList: readonly string[] = Object.freeze(Object.entries(dataHeaders).flat())

/** For a year browsers use https only (RFC 6797). Without `includeSubDomains`: other hosts of the domain are not ours. */
export const httpsOnlyHeaders: Readonly<Record<string, string>> = Object.freeze({ 'strict-transport-security': 'max-age=31536000' })
