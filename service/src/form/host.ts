/**
 * Tells by the Host header whether a request is for the form's origin. Without a setting, in the test environment, it is every name of 127.0.0.1, whatever
 * the port: the dashboard is on `localhost`, which is another site, and neither is served on the other's host.
 */
export function makeIsFormHost(formOrigin: string | null): (host: string | undefined) => boolean {
  if (formOrigin === null) return (host) => host !== undefined && /^127\.0\.0\.1(?::\d+)?$/.test(host)
  const asked = new URL(formOrigin).host
  return (host) => host?.toLowerCase() === asked
}

/** An origin as a browser writes it (RFC 6454 §6.2): scheme, host and port of http or https, nothing behind. Null for anything else. */
export function readOrigin(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > originCharactersMax || !URL.canParse(text)) return null
  const { origin, protocol } = new URL(text)
  return origin === text && (protocol === 'https:' || protocol === 'http:') ? origin : null
}

const originCharactersMax = 300
