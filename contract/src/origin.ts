/**
 * The schema of an origin (RFC 6454 §6.2) of http or https as browsers send it: lower case, no path, no user. The host has only characters that a host
 * source of a content security policy can have (W3C CSP 3 §2.3.1), or is an IPv6 address; so no `*`, `;`, `,`, quote or blank of an origin can become a
 * wildcard, a directive or a second source there. The URL standard accepts all of these in host names.
 */
export const originPattern = '^https?://(?:[a-z0-9-]+(?:\\.[a-z0-9-]+)*\\.?|\\[[0-9a-f:]+\\])(?::[1-9][0-9]{0,4})?$'
export const maxOriginLength = 261

/** Reads an origin, exactly as `location.origin` has it; null for anything else. The only reader of origins, wherever they enter. */
export function readOrigin(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > maxOriginLength || !origin.test(text)) return null
  return URL.canParse(text) && new URL(text).origin === text ? text : null
}

/** An origin as the source of a content security policy. Throws for anything else: a policy that another text has a part in protects nobody. */
export function cspSourceOf(text: string): string {
  const source = readOrigin(text)
  if (source === null) throw new Error('not an origin: it is not written into a content security policy')
  return source
}

/** A host with its port as the source of a content security policy, which then has the scheme of the document. Throws for anything else. */
export function cspHostOf(host: string): string {
  return cspSourceOf(`https://${host.toLowerCase()}`).slice('https://'.length)
}

const origin = new RegExp(originPattern)
