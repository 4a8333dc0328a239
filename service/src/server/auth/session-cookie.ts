/**
 * The session's cookie. `__Host-` has browsers hold it to this host and to https; over plain http, in the test environment, WebKit would drop it
 * with that name. Neither keeps a page of another port on the same host from sending it, so the endpoint checks the origin.
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
      // With two of the same name, one was set by somebody else.
      return found.length === 1 ? (found[0]?.slice(name.length + 1) ?? null) : null
    },
    write: (session: string | null) => `${name}=${session ?? ''}; ${rest}${session === null ? '; Max-Age=0' : ''}`,
  })
}
