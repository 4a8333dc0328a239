import { Socket, type Server, type SocketConstructorOpts } from 'node:net'

/** Receives what was read: `length` bytes at the start of `bytes`, which is overwritten by the next read of any socket. False stops reading. */
export type ReadListener = (bytes: Buffer, length: number) => boolean

/**
 * A socket that takes the place of one that a server has accepted, and reads into a buffer of ours. Node lets a socket choose its buffer (`onread`) only where
 * a program makes the socket itself; those of a server allocate for each read, and free what they do not need of it with the bytes of the request in it.
 * Null where node has not what this needs: the socket is then as it was.
 */
export function adoptSocket(accepted: Socket, server: Server, receive: ReadListener): Socket | null {
  const { _handle: handle } = accepted as AcceptedSocket
  if (handle === null || handle === undefined || !('_server' in accepted)) return null
  const callback = (length: number, bytes: Uint8Array): boolean => receive(bytes as Buffer, length)
  // Before the new one takes it: the old socket must not close what it no longer has.
  Object.assign(accepted, { _handle: null, _server: null })
  const options: AdoptingOptions = { handle, allowHalfOpen: true, onread: { buffer: receiveBuffer, callback } }
  // `server.close` and its number of connections count by these.
  return Object.assign(new Socket(options as SocketConstructorOpts), { server, _server: server })
}

// What is not documented of node's sockets (lib/net.js). The version of Node is fixed, and direct-connection.test.ts fails where it differs.
interface AcceptedSocket extends Socket {
  readonly _handle?: object | null
}
interface AdoptingOptions extends Omit<SocketConstructorOpts, 'handle'> {
  readonly handle: object
}

/** All sockets of a thread read into it, one after the other. A request is wiped from it before the next is read. */
const receiveBuffer = Buffer.allocUnsafeSlow(64 * 1024)
