/**
 * CORS headers of every API reply: any page may read it and its request id, and none may send cookies (docs/reference/wire.md#http; Fetch standard,
 * CORS protocol).
 */
export function corsHeaders(origin: string | null): readonly string[] {
  return origin !== null && isOriginLike(origin) ? ['access-control-allow-origin', origin, ...readable] : varyAlone
}

/**
 * Headers of the response to a preflight. The merchant is not known yet, so every origin is allowed; the merchant's own list is enforced on the call.
 * Any other OPTIONS request gets the same.
 */
export function preflightHeaders(origin: string | null): readonly string[] {
  return [...corsHeaders(origin), ...allowed]
}

/** An origin as browsers write it (RFC 6454 §6.2). It is repeated in the response headers, so it must not have enough digits for a card number. */
function isOriginLike(origin: string): boolean {
  return /^(null|[a-z][a-z0-9+.-]{0,30}:\/\/[\w.:[\]-]{1,253})$/i.test(origin) && !/(\d-?){12}/.test(origin)
}

const readable: readonly string[] = ['vary', 'Origin', 'access-control-expose-headers', 'x-request-id']
const varyAlone: readonly string[] = ['vary', 'Origin']
const allowed: readonly string[] = [
  'access-control-allow-methods',
  'POST, OPTIONS',
  'access-control-allow-headers',
  'content-type, x-auth, cache-control, idempotency-key, accept-language',
  'access-control-max-age',
  '600',
  'allow',
  'POST, OPTIONS',
]
