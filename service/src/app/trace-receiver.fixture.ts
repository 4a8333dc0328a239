import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

// A double of an OTLP/HTTP receiver, since no collector is in Debian or npm. It takes JSON by the published schema alone (opentelemetry-proto 1.x,
// trace/v1/trace.proto with the rules of "JSON Protobuf Encoding": ids in hexadecimal, 64-bit numbers as decimal text) and refuses members that are not in it.

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  /** SPAN_KIND_… by number: 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly startNanos: bigint
  readonly endNanos: bigint
  readonly attributes: Readonly<Record<string, unknown>>
  readonly isError: boolean
  readonly resource: Readonly<Record<string, unknown>>
}

export interface TraceReceiver {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** Every body as it came. */
  readonly bodies: readonly Buffer[]
  readonly headers: readonly IncomingHttpHeaders[]
  /** The status of the replies from now on; null: none is sent. */
  reply(status: number | null): void
  close(): Promise<void>
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = []
  const bodies: Buffer[] = []
  const headers: IncomingHttpHeaders[] = []
  let status: number | null = 200
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const body = Buffer.concat(chunks)
      headers.push(req.headers)
      if (status === null) return
      if (status !== 200) {
        res.writeHead(status).end()
        return
      }
      assert.equal(req.headers['content-type'], 'application/json')
      bodies.push(body)
      spans.push(...decodeTraces(body))
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${String(port)}/v1/traces`,
    spans,
    bodies,
    headers,
    reply: (next) => void (status = next),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Decodes an ExportTraceServiceRequest. Throws when it is not one. */
function decodeTraces(body: Buffer): ReceivedSpan[] {
  const { resourceSpans } = membersOf(JSON.parse(body.toString()), ['resourceSpans'])
  return listOf(resourceSpans).flatMap((each) => {
    const { resource, scopeSpans } = membersOf(each, ['resource', 'scopeSpans', 'schemaUrl'])
    const { attributes } = membersOf(resource, ['attributes', 'droppedAttributesCount', 'entityRefs'])
    const decoded = decodeAttributes(attributes)
    return listOf(scopeSpans).flatMap((scoped) => {
      const { spans } = membersOf(scoped, ['scope', 'spans', 'schemaUrl'])
      return listOf(spans).map((span) => decodeSpan(span, decoded))
    })
  })
}

function decodeSpan(value: unknown, resource: ReceivedSpan['resource']): ReceivedSpan {
  const span = membersOf(value, spanMembers)
  const { code, message } = membersOf(span['status'] ?? {}, ['code', 'message'])
  assert.equal(message ?? '', '')
  assert.deepEqual([listOf(span['events'] ?? []), listOf(span['links'] ?? [])], [[], []])
  return {
    traceId: idOf(span['traceId'], 32),
    spanId: idOf(span['spanId'], 16),
    parentSpanId: span['parentSpanId'] === undefined ? null : idOf(span['parentSpanId'], 16),
    name: textOf(span['name']),
    kind: numberOf(span['kind']),
    startNanos: nanosOf(span['startTimeUnixNano']),
    endNanos: nanosOf(span['endTimeUnixNano']),
    attributes: decodeAttributes(span['attributes']),
    isError: code === 2,
    resource,
  }
}

// prettier-ignore
const spanMembers = [
  'traceId', 'spanId', 'traceState', 'parentSpanId', 'flags', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano', 'attributes',
  'droppedAttributesCount', 'events', 'droppedEventsCount', 'links', 'droppedLinksCount', 'status',
]

function decodeAttributes(value: unknown): Record<string, unknown> {
  return Object.fromEntries(
    listOf(value).map((each) => {
      const { key, value: any } = membersOf(each, ['key', 'value'])
      const [[kind, held] = ['', null], ...rest] = Object.entries(membersOf(any, ['stringValue', 'intValue', 'doubleValue', 'boolValue']))
      assert.deepEqual(rest, [])
      assert.notEqual(kind, '')
      return [textOf(key), held]
    }),
  )
}

function membersOf(value: unknown, allowed: readonly string[]): Record<string, unknown> {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), JSON.stringify(value))
  for (const name of Object.keys(value)) assert.ok(allowed.includes(name), `unknown member ${name}`)
  return value as Record<string, unknown>
}

function listOf(value: unknown): readonly unknown[] {
  assert.ok(Array.isArray(value), JSON.stringify(value))
  return value
}

function textOf(value: unknown): string {
  assert.ok(typeof value === 'string')
  return value
}

function numberOf(value: unknown): number {
  assert.ok(typeof value === 'number')
  return value
}

function idOf(value: unknown, length: number): string {
  const id = textOf(value)
  assert.match(id, new RegExp(`^[0-9a-f]{${String(length)}}$`))
  return id
}

function nanosOf(value: unknown): bigint {
  const text = textOf(value)
  assert.match(text, /^[0-9]{1,20}$/)
  return BigInt(text)
}
