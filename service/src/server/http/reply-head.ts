import { corsHeaders } from './cors.ts'
import type { HttpReply } from './request.ts'
import { dataHeaderList } from './security-headers.ts'

export interface ReplyHeadOptions {
  readonly contentLength: number
  readonly isZipped: boolean
  readonly origin: string | null
  /** Names and values that every reply of the server gets. */
  readonly addedHeaders: readonly string[]
  readonly closesConnection: boolean
}

/** The names and values of the headers of an API reply, without those that node adds. */
export function replyHeaders({ requestId, retryAfterSeconds }: HttpReply, options: ReplyHeadOptions): string[] {
  const { contentLength, isZipped, origin, addedHeaders, closesConnection } = options
  const headers = [...fixedHeaders, String(contentLength), ...addedHeaders, 'x-request-id', requestId, ...corsHeaders(origin)]
  if (isZipped) headers.push('content-encoding', 'gzip')
  if (retryAfterSeconds !== null) headers.push('retry-after', String(retryAfterSeconds))
  if (closesConnection) headers.push('connection', 'close')
  return headers
}

/** The same with its status line, as node writes it: direct-connection.test.ts compares the bytes. */
export function formatReplyHead(reply: HttpReply, options: ReplyHeadOptions, keepAliveSeconds: number): string {
  let head = reply.status === 200 ? fixedOk : fixedUnavailable
  const headers = replyHeaders(reply, options)
  head += String(options.contentLength)
  for (let i = fixedHeaders.length + 1; i < headers.length; i += 2) head += `\r\n${headers[i]}: ${headers[i + 1]}`
  const connection = options.closesConnection ? '' : `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n`
  return `${head}\r\nDate: ${httpDate()}\r\n${connection}\r\n`
}

/** The time as IMF-fixdate (RFC 9110 §5.6.7), which is formatted once a second. */
function httpDate(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = new Date(second * 1000).toUTCString()
  }
  return dateText
}

let dateSecond = Number.NaN
let dateText = ''
/** Up to the length of the body, which is in every reply. */
const fixedHeaders = ['content-type', 'application/json', ...dataHeaderList, 'content-length']
const fixedOk = formatFixed('HTTP/1.1 200 OK')
const fixedUnavailable = formatFixed('HTTP/1.1 503 Service Unavailable')

function formatFixed(statusLine: string): string {
  return fixedHeaders.reduce((text, part, i) => text + (i % 2 === 0 ? `\r\n${part}: ` : part), statusLine)
}
