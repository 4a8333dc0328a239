import type { ServerResponse } from 'node:http'

import { dataHeaderList } from './security-headers.ts'

/**
 * Why a request gets no JSON-RPC reply (docs/reference/wire.md#http). Except for `notFound`, `notJson` and `failed` the connection closes afterwards, because
 * the following bytes cannot be trusted to be a request.
 */
export const problems = {
  notFound: { status: 404, title: 'Not Found', detail: 'Nothing is here. The API answers at /api and at /api/<method>.' },
  requestTimeout: { status: 408, title: 'Request Timeout', detail: 'The request did not arrive in time.' },
  bodyTooLarge: { status: 413, title: 'Content Too Large', detail: 'A body holds at most 64 KiB.' },
  notJson: { status: 415, title: 'Unsupported Media Type', detail: 'The dashboard takes application/json only. From a server, use /api.' },
  misdirected: { status: 421, title: 'Misdirected Request', detail: 'The API has a host of its own, and it is not this one.' },
  headersTooLarge: { status: 431, title: 'Request Header Fields Too Large', detail: 'The headers hold at most 16 KiB and 256 fields.' },
  invalidHttp: { status: 400, title: 'Bad Request', detail: 'This is not a valid HTTP/1.1 request.' },
  hostMissing: { status: 400, title: 'Bad Request', detail: 'An HTTP/1.1 request names its host in one Host header.' },
  hostTwice: { status: 400, title: 'Bad Request', detail: 'There is more than one Host header.' },
  targetForm: { status: 400, title: 'Bad Request', detail: 'The request line holds a path, not a whole URL.' },
  bodyNotExpected: { status: 400, title: 'Bad Request', detail: 'GET, HEAD and OPTIONS carry no body here.' },
  framing: {
    status: 400,
    title: 'Bad Request',
    detail: 'The length of the body is ambiguous: two servers could read it differently.',
  },
  tooManySockets: { status: 503, title: 'Service Unavailable', detail: 'Too many connections come from this address.' },
  tooManyBodies: { status: 503, title: 'Service Unavailable', detail: 'Too many requests are arriving at once: try again later.' },
  tooManyReplies: {
    status: 503,
    title: 'Service Unavailable',
    detail: 'Too many replies to this client have not been read: read them before sending more.',
  },
  failed: { status: 500, title: 'Internal Server Error', detail: 'Our fault; nothing more can be said here.' },
} as const satisfies Record<string, HttpProblem>

/** The members of an RFC 9457 problem that are used. */
export interface HttpProblem {
  readonly status: number
  readonly title: string
  readonly detail: string
}

export type ProblemName = keyof typeof problems

/** Writes a problem as the response. The caller ends it. */
export function beginProblem(res: ServerResponse, name: ProblemName, more: readonly string[] = []): void {
  const text = problemText(name)
  res.writeHead(problems[name].status, [...headersOf(name, text), ...more])
  res.write(text)
}

/** The same as bytes of a whole response, for a socket on which no request could be read. */
export function rawProblem(name: ProblemName): string {
  const { status, title } = problems[name]
  const text = problemText(name)
  const headers = headersOf(name, text)
  const lines = headers.flatMap((value, i) => (i % 2 === 0 ? [`${value}: ${headers[i + 1] ?? ''}\r\n`] : []))
  return `HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${text}`
}

/** Whether the connection closes after it. */
export function closes(name: ProblemName): boolean {
  return name !== 'notFound' && name !== 'notJson' && name !== 'failed'
}

/** The body alone. */
export function problemText(name: ProblemName): string {
  const { status, title, detail } = problems[name]
  return JSON.stringify({ type: 'about:blank', status, title, detail })
}

function headersOf(name: ProblemName, text: string): string[] {
  const later = problems[name].status === 503 ? ['retry-after', '1'] : []
  const close = closes(name) ? ['connection', 'close'] : []
  const length = String(Buffer.byteLength(text))
  return ['content-type', 'application/problem+json', ...dataHeaderList, 'content-length', length, ...later, ...close]
}
