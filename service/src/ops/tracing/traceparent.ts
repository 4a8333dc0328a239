import type { SpanContext } from '@opentelemetry/api'

/**
 * The context that a `traceparent` header names (W3C Trace Context, version 00); null for anything else. The header comes from another company: 55 characters
 * of hexadecimal digits and hyphens, or nothing.
 */
export function readTraceparent(header: string | undefined): SpanContext | null {
  if (header?.length !== traceparentLength) return null
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(header)
  if (match === null) return null
  const [, traceId = '', spanId = '', flags = ''] = match
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  // Of the flags, only this one has a meaning.
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & sampledFlag, isRemote: true }
}

const traceparentLength = 55
export const sampledFlag = 1
