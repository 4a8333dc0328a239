/** Headers of every reply of the API: any page may read it and the id of its request, and none may send cookies with it (docs/reference/wire.md#http; Fetch standard, CORS protocol). */
export function corsHeaders(origin: string | null): readonly string[] {
  return origin !== null && isOriginLike(origin) ? ['access-control-allow-origin', origin, ...readable] : varyAlone
}

/**
 * Answers a preflight: the merchant is not known yet, so every origin may ask; its own list is enforced when the call comes. Any other
 * OPTIONS gets the same.
 */
export function preflightHeaders(origin: string | null): readonly string[] {
  return [...corsHeaders(origin), ...allowed]
}

/** An origin as browsers write it (RFC 6454 §6.2). It is written into our own headers: no digits enough for a card number are. */
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
