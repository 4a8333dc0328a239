import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** The address of an outside system, and whether it is reached with TLS. */
export interface PeerAddress {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** PEM of the authorities that its certificate is checked against; absent: those of the system. */
  readonly ca?: string
}

/** Connects, with TLS verifies the certificate and its name, and closes the connection. Returns the reason why it cannot; null when it can. Sends nothing. */
export function reachPeer({ host, port, isTls, ca }: PeerAddress): Promise<string | null> {
  return new Promise((resolve) => {
    // A server name is never an address (RFC 6066, section 3).
    const tlsOptions = { ...(isIP(host) === 0 ? { servername: host } : {}), ...(ca === undefined ? {} : { ca }) }
    const socket: Socket = isTls ? connectTls({ host, port, ...tlsOptions }) : connectTcp({ host, port })
    const finish = (failure: string | null): void => {
      socket.destroy()
      resolve(failure)
    }
    socket.setTimeout(CONNECT_MS, () => finish(`no response within ${String(CONNECT_MS / 1000)} s`))
    socket.once('error', (err) => finish((err as NodeJS.ErrnoException).code ?? err.message))
    socket.once(isTls ? 'secureConnect' : 'connect', () => finish(null))
  })
}

const CONNECT_MS = 5000
