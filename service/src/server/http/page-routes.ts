import { maxBodyBytes } from '@tessera/contract/envelope'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

import { BodyBuffer } from './body-buffer.ts'
import { problemText } from './problem.ts'
import { dataHeaders } from './security-headers.ts'

/** One route: a document, a file, or the dashboard's endpoint. Any other path gets 404. */
export interface PageRoute {
  /** GET serves HEAD too. */
  readonly method: 'GET' | 'POST'
  /** Whether this page is served on a host, by the Host header. On any other host it does not exist. */
  readonly host: (host: string | undefined) => boolean
  /** A whole path; `…/*` matches everything below, `…/:name` one segment. */
  readonly path: string
  /** Null: not found. */
  readonly handle: (request: PageRequest) => PageReply | null | Promise<PageReply | null>
  /** The reply when `handle` throws; default: an RFC 9457 problem. */
  readonly handleFailure?: (request: PageRequest) => Promise<PageReply>
}

export interface PageRequest {
  readonly headers: IncomingHttpHeaders
  /** Decoded, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly hasQuery: boolean
  /** The client's address. */
  readonly address: string
  /** Of POST. The handler wipes it. */
  readonly body: Buffer
  /** Aborted when the connection is closed before the reply. */
  readonly left: AbortSignal
}

export interface PageReply {
  /** 200 by default. */
  readonly status?: number
  /** An array is a header that is sent several times. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Buffer
}

export interface PageDependencies {
  /** The client's address. */
  readonly addressOf: (req: IncomingMessage) => string
  /** Writes the 404. */
  readonly refuseNotFound: (req: IncomingMessage, res: ServerResponse) => void
  /** Handles no further request of this connection. */
  readonly closeConnection: (req: IncomingMessage) => void
  /** Headers that every reply gets, besides its own. */
  readonly addedHeaders?: Readonly<Record<string, string>>
  /** For the log: a page threw. */
  readonly onError: (cause: unknown) => void
}

/** Serves pages by a table of routes; the first that matches handles the request. */
export function servePages(routes: readonly PageRoute[], deps: PageDependencies) {
  const write = (req: IncomingMessage, res: ServerResponse, reply: PageReply): void =>
    writePage(req, res, { ...reply, headers: { ...reply.headers, ...deps.addedHeaders } })
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    try {
      const target = readTarget(req.url ?? '')
      const route = target === null ? undefined : routes.find((each) => matches(each, req, target.path))
      if (target === null || route === undefined) {
        deps.refuseNotFound(req, res)
        return
      }
      const body = req.method === 'POST' ? await readBody(req) : nothing
      if (body === 'aborted') return
      if (body === 'tooLarge') {
        deps.closeConnection(req)
        write(req, res, bodyTooLarge)
        return
      }
      const request = { ...target, headers: req.headers, address: deps.addressOf(req), body, left: leftOf(res) }
      const reply = await handle(route, request, deps)
      if (reply === null) deps.refuseNotFound(req, res)
      else write(req, res, reply)
    } catch (err) {
      deps.onError(err)
      if (res.headersSent) res.destroy()
      else write(req, res, failure)
    }
  }
}

async function handle(route: PageRoute, request: PageRequest, { onError }: Pick<PageDependencies, 'onError'>): Promise<PageReply | null> {
  if (route.handleFailure === undefined) return route.handle(request)
  try {
    return await route.handle(request)
  } catch (err) {
    onError(err)
    return route.handleFailure(request)
  }
}

function leftOf(res: ServerResponse): AbortSignal {
  const left = new AbortController()
  res.on('close', () => {
    if (!res.writableFinished) left.abort()
  })
  return left.signal
}

function matches({ method, host, path: pattern }: PageRoute, req: IncomingMessage, path: string): boolean {
  if (method !== (req.method === 'HEAD' ? 'GET' : req.method) || !host(req.headers.host)) return false
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1))
  const [prefix = '', parameter] = pattern.split(':')
  return parameter === undefined ? path === pattern : path.startsWith(prefix) && !path.slice(prefix.length).includes('/')
}

/** Null for a path that cannot be decoded. */
function readTarget(url: string): Pick<PageRequest, 'path' | 'query' | 'hasQuery'> | null {
  const [, path = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(url) ?? []
  try {
    return { path: decodeURI(path), query: new URLSearchParams(query), hasQuery: url.includes('?') }
  } catch {
    return null
  }
}

/** Collects a body in memory that its reader wipes. */
function readBody(req: IncomingMessage): Promise<Buffer | 'tooLarge' | 'aborted'> {
  const body = new BodyBuffer(maxBodyBytes)
  if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes) {
    req.on('data', (chunk: Buffer) => chunk.fill(0))
    return Promise.resolve('tooLarge')
  }
  return new Promise((resolve) => {
    let isTooLarge = false
    req.on('data', (chunk: Buffer) => {
      if (isTooLarge) chunk.fill(0)
      else if (!body.add(chunk)) {
        isTooLarge = true
        resolve('tooLarge')
      }
    })
    req.on('end', () => resolve(body.take()))
    req.on('close', () => {
      body.wipe()
      resolve('aborted')
    })
  })
}

/** Writes a whole reply; for HEAD only the headers. */
export function writePage(req: IncomingMessage, res: ServerResponse, { status = 200, headers, body }: PageReply): void {
  const each = Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]] as const)
  res.writeHead(status, { ...Object.fromEntries(each), 'content-length': String(Buffer.byteLength(body)) })
  res.end(req.method === 'HEAD' ? undefined : body)
}

const nothing = Buffer.alloc(0)
const bodyTooLarge: PageReply = {
  status: 413,
  headers: { ...dataHeaders, 'content-type': 'text/plain; charset=utf-8', connection: 'close' },
  body: 'A body holds at most 64 KiB.',
}
const failure: PageReply = {
  status: 500,
  headers: { ...dataHeaders, 'content-type': 'application/problem+json; charset=utf-8' },
  body: problemText('failed'),
}
