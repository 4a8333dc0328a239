import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** A response as received. Header names are in lower case; repeated headers are joined with a comma. */
export interface VectorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Whether the server closed the connection. */
  readonly isClosed: boolean
  readonly ms: number
}

export interface RawExchangeOptions {
  readonly url: URL
  readonly msMax: number
  /** A response to HEAD has no body, whatever its headers say. */
  readonly isHead: boolean
  /** Whether to wait, after the response, for the server to close. */
  readonly awaitClose: boolean
}

/**
 * Sends bytes over a new connection and reads one response (HTTP/1.1, RFC 9112). fetch and node:http would repair requests that a vector needs
 * broken. Throws when no response arrives within `msMax`.
 */
export function exchangeRaw(bytes: Uint8Array, options: RawExchangeOptions): Promise<VectorResponse> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const socket = connect(options.url)
    const chunks: Buffer[] = []
    let response: ParsedResponse | null = null
    let isClosed = false
    const timer = setTimeout(finish, options.msMax)
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      response ??= parseResponse(chunks, options.isHead, false, startedAt)
      if (response !== null && !options.awaitClose) finish()
    })
    // A server that refuses a long body closes while the request is still being written: the response before that counts.
    socket.on('error', (err) => end(err))
    socket.on('close', () => end(new Error('the connection was closed without a response')))

    function end(err: Error): void {
      isClosed = true
      response ??= parseResponse(chunks, options.isHead, true, startedAt)
      if (response === null) reject(err)
      finish()
    }

    function finish(): void {
      clearTimeout(timer)
      socket.destroy()
      if (response === null) reject(new Error(`no complete response within ${options.msMax} ms`))
      else resolve({ ...response, isClosed })
    }
  })
}

function connect(url: URL): Socket {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (url.protocol === 'https:') return connectTls({ host, port: Number(url.port || 443), servername: host, ALPNProtocols: ['http/1.1'] })
  return connectTcp({ host, port: Number(url.port || 80) })
}

type ParsedResponse = Omit<VectorResponse, 'isClosed'>

/** The response in the bytes received so far, or null while it is incomplete. */
function parseResponse(chunks: readonly Buffer[], isHead: boolean, isEnd: boolean, startedAt: number): ParsedResponse | null {
  const bytes = Buffer.concat(chunks)
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] ([0-9]{3})(?: |$)/.exec(statusLine)?.[1] ?? NaN)
  const rest = bytes.subarray(headEnd + 4)
  if (status >= 100 && status < 200) return parseResponse([rest], isHead, isEnd, startedAt)
  const headers = readHeaders(lines)
  const body = isHead || status === 204 || status === 304 ? rest : readBody(rest, headers, isEnd)
  return body === null || Number.isNaN(status) ? null : { status, headers, body, ms: performance.now() - startedAt }
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, written = '', value = ''] = /^([^:]*):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    const name = written.toLowerCase()
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  return headers
}

function readBody(rest: Buffer, headers: Readonly<Record<string, string>>, isEnd: boolean): Buffer | null {
  if (headers['transfer-encoding'] === 'chunked') return readChunks(rest)
  const length = headers['content-length']
  if (length === undefined) return isEnd ? rest : null
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : null
}

/** Chunked transfer coding (RFC 9112 §7.1). */
function readChunks(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return null
    const size = parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const from = lineEnd + 2
    if (Number.isNaN(size) || bytes.length < from + size + 2) return null
    if (size === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(from, from + size))
    at = from + size + 2
  }
}
