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

export interface ReplyTimes {
  readonly keepAliveMs: number
  /** Unix milliseconds, by the machine's clock. */
  readonly nowMs: number
}

/** The same with its status line, as node writes it: direct-connection.test.ts compares the bytes. */
export function formatReplyHead(reply: HttpReply, options: ReplyHeadOptions, { keepAliveMs, nowMs }: ReplyTimes): string {
  const fixed = reply.status === 200 ? fixedOk : fixedUnavailable
  const head = `${fixed}${options.contentLength}${isUsual(reply, options) ? `${usualHeaders}${reply.requestId}${varyLine}` : otherLines(reply, options)}`
  const connection = options.closesConnection ? '' : `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`
  return `${head}\r\nDate: ${httpDate(nowMs)}\r\n${connection}\r\n`
}

/** A reply that has no headers but those of every reply: they are put together without a list, 1 µs less. */
function isUsual({ retryAfterSeconds }: HttpReply, { isZipped, origin, addedHeaders, closesConnection }: ReplyHeadOptions): boolean {
  return retryAfterSeconds === null && !isZipped && origin === null && addedHeaders.length === 0 && !closesConnection
}

/** The headers behind the length of the body. */
function otherLines(reply: HttpReply, options: ReplyHeadOptions): string {
  const headers = replyHeaders(reply, options)
  let lines = ''
  for (let i = fixedHeaders.length + 1; i < headers.length; i += 2) lines += `\r\n${headers[i]}: ${headers[i + 1]}`
  return lines
}

/** A time as IMF-fixdate (RFC 9110 §5.6.7), which is formatted once a second. */
function httpDate(nowMs: number): string {
  const second = Math.floor(nowMs / 1000)
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
const usualHeaders = '\r\nx-request-id: '
const varyLine = corsHeaders(null).reduce((text, part, i) => text + (i % 2 === 0 ? `\r\n${part}: ` : part), '')
const fixedOk = formatFixed('HTTP/1.1 200 OK')
const fixedUnavailable = formatFixed('HTTP/1.1 503 Service Unavailable')

function formatFixed(statusLine: string): string {
  return fixedHeaders.reduce((text, part, i) => text + (i % 2 === 0 ? `\r\n${part}: ` : part), statusLine)
}
