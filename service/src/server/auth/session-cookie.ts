/**
 * The session's cookie. With the prefix `__Host-` browsers bind it to this host and to https. In the test environment, over plain http, WebKit would
 * drop a cookie of that name. Pages of another port on the same host can still send it, so the endpoint checks the origin.
 */
export interface SessionCookie {
  read(header: string | undefined): string | null
  /** The Set-Cookie header; null deletes the cookie. */
  write(session: string | null): string
}

export function makeSessionCookie(isSecure: boolean): SessionCookie {
  const name = isSecure ? '__Host-tessera' : 'tessera'
  const rest = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return Object.freeze({
    read(header: string | undefined) {
      const pairs = (header ?? '').split(';').map((pair) => pair.trim())
      const found = pairs.filter((pair) => pair.startsWith(`${name}=`))
      // Of two cookies with this name one was set by another party.
      return found.length === 1 ? (found[0]?.slice(name.length + 1) ?? null) : null
    },
    write: (session: string | null) => `${name}=${session ?? ''}; ${rest}${session === null ? '; Max-Age=0' : ''}`,
  })
}
