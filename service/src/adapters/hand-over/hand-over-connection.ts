import { isIP } from 'node:net'
import { connect, createServer, type TLSSocket } from 'node:tls'

// One connection is one request: a line of JSON each way over TLS 1.3, in which both sides show a certificate of the nodes' own authority.

/** What a node proves who it is with, and who it believes; PEM. */
export interface HandOverTls {
  readonly certificate: Buffer
  readonly key: Buffer
  readonly authority: Buffer
}

/** A request for KEKs, as it is sent. */
export interface HandOverRequest {
  readonly node: string
  readonly sets: readonly string[]
  /** Over the request and the connection, hex. */
  readonly signature: string
}

/** KEKs by their sets, each sealed to the node, hex; none when the request was refused. */
export interface HandOverReply {
  readonly keks: readonly { readonly setId: string; readonly sealed: string }[]
}

export interface HandOverListener {
  /** Returns the port. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>
  close(): Promise<void>
}

/** `respond` gets the request and what only this connection has (RFC 9266, tls-exporter); a request that was recorded fits no other connection. */
export function createHandOverListener(
  tls: HandOverTls,
  respond: (request: HandOverRequest, session: Uint8Array, address: string) => Promise<HandOverReply>,
  onError: (err: unknown) => void,
): HandOverListener {
  const open = new Set<TLSSocket>()
  const server = createServer({ ...tlsOptions(tls), requestCert: true, handshakeTimeout: timeoutMs }, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    serve(socket).catch(onError)
  })
  server.maxConnections = connectionsMax
  // A client without a certificate of the authority ends here.
  server.on('tlsClientError', onError)
  return Object.freeze<HandOverListener>({
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host, port }, () => {
          server.off('error', reject)
          server.on('error', onError)
          const address = server.address()
          resolve(typeof address === 'object' && address !== null ? address.port : port)
        })
      }),
    close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      for (const socket of open) socket.destroy()
      return closed
    },
  })

  async function serve(socket: TLSSocket): Promise<void> {
    const line = await readOneLine(socket)
    const request = line === null ? null : parseRequest(line)
    if (request === null) return void socket.destroy()
    const reply = await respond(request, sessionOf(socket), socket.remoteAddress ?? '')
    socket.end(`${JSON.stringify(reply)}\n`)
  }
}

/** Sends the request that `sign` makes for this connection. Throws when the node cannot be reached, or replies with something else. */
export async function requestHandOver(
  { host, port, tls }: { readonly host: string; readonly port: number; readonly tls: HandOverTls },
  sign: (session: Uint8Array) => HandOverRequest,
  open: (reply: HandOverReply, session: Uint8Array) => Promise<void>,
): Promise<void> {
  const socket = connect({ ...tlsOptions(tls), host, port, ...(isIP(host) === 0 ? { servername: host } : {}) })
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error('the node did not respond in time')))
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('the node closed the connection')))
      socket.once('secureConnect', resolve)
    })
    const session = sessionOf(socket)
    socket.write(`${JSON.stringify(sign(session))}\n`)
    const reply = parseReply(await readOneLine(socket))
    if (reply === null) throw new Error('the node refused the connection, or replied with something else')
    await open(reply, session)
  } finally {
    socket.destroy()
  }
}

function tlsOptions({ certificate, key, authority }: HandOverTls) {
  return { cert: certificate, key, ca: authority, minVersion: 'TLSv1.3', rejectUnauthorized: true } as const
}

function sessionOf(socket: TLSSocket): Uint8Array {
  return Uint8Array.from(socket.exportKeyingMaterial(32, 'EXPORTER-tessera-hand-over', Buffer.alloc(0)))
}

/** Null when the connection ends before, or the line is too long. */
function readOneLine(socket: TLSSocket): Promise<string | null> {
  return new Promise((resolve) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.setTimeout(timeoutMs, () => socket.destroy())
    socket.on('error', () => resolve(null))
    socket.once('close', () => resolve(null))
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.length > lineMax) socket.destroy()
      else if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
  })
}

function parseRequest(line: string): HandOverRequest | null {
  const { node, sets, signature } = parseObject(line)
  const isRequest =
    typeof node === 'string' && typeof signature === 'string' && Array.isArray(sets) && sets.every((set) => typeof set === 'string')
  return isRequest ? { node, sets: sets, signature } : null
}

function parseReply(line: string | null): HandOverReply | null {
  const { keks } = parseObject(line ?? '')
  if (!Array.isArray(keks)) return null
  const isKek = (each: unknown): each is HandOverReply['keks'][number] => {
    const { setId, sealed } = (each ?? {}) as Record<string, unknown>
    return typeof setId === 'string' && typeof sealed === 'string'
  }
  return keks.every(isKek) ? { keks } : null
}

function parseObject(line: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(line)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const timeoutMs = 5000
const lineMax = 16 * 1024
const connectionsMax = 16
