/**
 * A cookie of the dashboard's host. With the prefix `__Host-` browsers bind it to this host and to https. In the test environment, over plain http, WebKit would
 * drop a cookie of that name. Pages of another port on the same host can still send it, so the endpoint checks the origin.
 */
export interface HostCookie {
  read(header: string | undefined): string | null
  /** The Set-Cookie header; null deletes the cookie. */
  write(value: string | null): string
}

/** The session's: it ends with the browser. */
export function makeSessionCookie(isSecure: boolean): HostCookie {
  return makeHostCookie('tessera', isSecure, '')
}

/** That of a known device: it outlives the session. */
export function makeDeviceCookie(isSecure: boolean): HostCookie {
  return makeHostCookie('tessera-device', isSecure, `; Max-Age=${String(deviceSeconds)}`)
}

function makeHostCookie(plainName: string, isSecure: boolean, lifetime: string): HostCookie {
  const name = isSecure ? `__Host-${plainName}` : plainName
  const rest = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return Object.freeze({
    read(header: string | undefined) {
      const pairs = (header ?? '').split(';').map((pair) => pair.trim())
      const found = pairs.filter((pair) => pair.startsWith(`${name}=`))
      // Of two cookies with this name one was set by another party.
      return found.length === 1 ? (found[0]?.slice(name.length + 1) ?? null) : null
    },
    write: (value: string | null) => `${name}=${value ?? ''}; ${rest}${value === null ? '; Max-Age=0' : lifetime}`,
  })
}

/** As long as its row is accepted (domain/users/known-devices.ts). */
const deviceSeconds = 180 * 24 * 3600
