import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** The address of an outside system, and whether it is reached with TLS. */
export interface PeerAddress {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

/** Connects, with TLS verifies the certificate and its name, and closes the connection. Returns the reason why it cannot; null when it can. Sends nothing. */
export function reachPeer({ host, port, isTls }: PeerAddress): Promise<string | null> {
  return new Promise((resolve) => {
    const socket: Socket = isTls ? connectTls({ host, port, servername: host }) : connectTcp({ host, port })
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
