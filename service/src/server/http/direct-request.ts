import { RequestHeaders } from './request-headers.ts'
import type { ApiTarget } from './request.ts'
import { readApiTarget } from './request.ts'

/** A small POST to the API that has arrived in one piece. */
export interface DirectRequest {
  readonly target: ApiTarget
  readonly headers: RequestHeaders
  /** Names and values in turn, as in node's `rawHeaders`. */
  readonly rawHeaders: readonly string[]
  /** Where its body begins, which ends with the last byte. */
  readonly bodyStart: number
}

/**
 * Reads a request without node's parser: one POST to the API whose head and body are all of the bytes that one read of the socket returned. Null for anything
 * else, and for all that is not beyond doubt: node's parser then reads the same bytes, and refuses or serves them.
 *
 * What is accepted is a part of what node accepts, and means the same there (direct-request.test.ts compares both): HTTP/1.1, a target of unreserved
 * characters, names of token characters right before the colon, values of visible ASCII and blanks, CRLF only, one Host, one Content-Length of digits that is
 * exactly what follows, and none of the headers that change how a connection is read. So no byte is left over that a next request could begin with.
 */
export function readDirectRequest(bytes: Buffer, length: number): DirectRequest | null {
  if (length < leastLength || length > maxDirectBytes) return null
  const headEnd = bytes.subarray(0, length).indexOf(emptyLine)
  if (headEnd < 0) return null
  // The body, which may have a card number, is never made a string.
  const head = bytes.toString('latin1', 0, headEnd + lineEnd.length)
  if (!head.startsWith(beforeTarget)) return null
  const targetEnd = skip(head, beforeTarget.length, isTargetCharacter)
  if (!head.startsWith(afterTarget, targetEnd)) return null
  const target = readApiTarget(head.slice(methodLength, targetEnd))
  const rawHeaders = target === null ? null : readFields(head, targetEnd + afterTarget.length)
  if (target === null || rawHeaders === null) return null
  const headers = new RequestHeaders(rawHeaders)
  const bodyStart = headEnd + emptyLine.length
  const isFramedOnce = headers.hosts === 1 && headers.contentLengths === 1 && headers.contentLength === length - bodyStart
  return isFramedOnce ? { target, headers, rawHeaders, bodyStart } : null
}

/** The header fields of a head; null when one is not plain. */
function readFields(head: string, start: number): string[] | null {
  const fields: string[] = []
  for (let at = start; at < head.length;) {
    const nameEnd = skip(head, at, isTokenCharacter)
    if (nameEnd === at || head.charCodeAt(nameEnd) !== colon || fields.length >= maxFields * 2) return null
    const valueEnd = skip(head, nameEnd + 1, isValueCharacter)
    if (!head.startsWith(lineEnd, valueEnd)) return null
    const name = head.slice(at, nameEnd)
    const value = trimBlanks(head, nameEnd + 1, valueEnd)
    if (!isPlainField(name, value)) return null
    fields.push(name, value)
    at = valueEnd + lineEnd.length
  }
  return fields
}

/** False for a field that changes how the connection or the body is read, or may do so elsewhere. */
function isPlainField(name: string, value: string): boolean {
  // Only names of these lengths are looked up.
  if (!unplainLengths.has(name.length)) return true
  const lower = name.toLowerCase()
  if (lower === 'content-length') return /^(?:0|[1-9][0-9]{0,4})$/.test(value)
  if (lower === 'connection') return value.toLowerCase() === 'keep-alive'
  return !unplainFields.has(lower)
}

/** Optional whitespace around a value does not belong to it (RFC 9112 §5). */
function trimBlanks(head: string, start: number, end: number): string {
  let [from, to] = [start, end]
  while (from < to && isBlank(head.charCodeAt(from))) from++
  while (to > from && isBlank(head.charCodeAt(to - 1))) to--
  return head.slice(from, to)
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09
}

function skip(text: string, start: number, isOfClass: Uint8Array): number {
  let at = start
  while (isOfClass[text.charCodeAt(at)] === 1) at++
  return at
}

/** A table of the character codes that match. */
function tableOf(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => (characters.test(String.fromCharCode(code)) ? 1 : 0))
}

/** Of a whole request: a batch of some size, or a long list of headers, is node's to read. */
export const maxDirectBytes = 16 * 1024
/** RFC 3986 §2.3, and the slash. */
const isTargetCharacter = tableOf(/[A-Za-z0-9._~/-]/)
/** RFC 9110 §5.6.2. */
const isTokenCharacter = tableOf(/[!#$%&'*+.^_`|~0-9A-Za-z-]/)
const isValueCharacter = tableOf(/[\t\x20-\x7e]/)
const unplainFields: ReadonlySet<string> = new Set([
  ...['transfer-encoding', 'te', 'trailer', 'expect', 'upgrade', 'keep-alive', 'proxy-connection', 'http2-settings', 'max-forwards'],
])
const unplainLengths: ReadonlySet<number> = new Set(['content-length', 'connection', ...unplainFields].map(({ length }) => length))
const lineEnd = '\r\n'
const emptyLine = Buffer.from('\r\n\r\n')
const colon = 0x3a
const methodLength = 'POST '.length
const beforeTarget = 'POST /api'
const afterTarget = ' HTTP/1.1\r\n'
/** The line of the request, a Host and a Content-Length take more. */
const leastLength = 32
const maxFields = 64
