import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

// A double of an OTLP/HTTP receiver, since no collector is in Debian or npm. It takes JSON by the published schema alone (opentelemetry-proto 1.x,
// trace/v1/trace.proto, common.proto and resource.proto, with the rules of "JSON Protobuf Encoding": ids in hexadecimal, 64-bit numbers as decimal text). It refuses
// what a real one refuses (another type, an id of zeros or of another length) or drops in silence (members that are not in the schema), and what the schema calls invalid.

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
export function decodeTraces(body: Buffer): ReceivedSpan[] {
  const { resourceSpans } = membersOf(JSON.parse(body.toString()), { resourceSpans: isList })
  return listOf(resourceSpans).flatMap((each) => {
    const { resource, scopeSpans } = membersOf(each, { resource: isObject, scopeSpans: isList, schemaUrl: isText })
    const { attributes } = membersOf(resource, { attributes: isList, droppedAttributesCount: isUint32, entityRefs: isList })
    const decoded = decodeAttributes(attributes)
    return listOf(scopeSpans).flatMap((scoped) => {
      const { scope, spans } = membersOf(scoped, { scope: isObject, spans: isList, schemaUrl: isText })
      const named = membersOf(scope ?? {}, { name: isText, version: isText, attributes: isList, droppedAttributesCount: isUint32 })
      decodeAttributes(named['attributes'] ?? [])
      return listOf(spans).map((span) => decodeSpan(span, decoded))
    })
  })
}

function decodeSpan(value: unknown, resource: ReceivedSpan['resource']): ReceivedSpan {
  const span = membersOf(value, spanMembers)
  const { code, message } = membersOf(span['status'] ?? {}, { code: isStatusCode, message: isText })
  // Of this service: texts of errors, events and links are not sent.
  assert.equal(message ?? '', '')
  assert.deepEqual([listOf(span['events'] ?? []), listOf(span['links'] ?? [])], [[], []])
  for (const name of ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano', 'attributes'])
    assert.ok(name in span, `${name} is missing`)
  const [startNanos, endNanos] = [BigInt(span['startTimeUnixNano'] as string), BigInt(span['endTimeUnixNano'] as string)]
  assert.ok(startNanos > 0n && endNanos >= startNanos, 'a span ends after it began')
  return {
    traceId: span['traceId'] as string,
    spanId: span['spanId'] as string,
    parentSpanId: (span['parentSpanId'] as string | undefined) ?? null,
    name: span['name'] as string,
    kind: span['kind'] as number,
    startNanos,
    endNanos,
    attributes: decodeAttributes(span['attributes']),
    isError: code === 2,
    resource,
  }
}

function decodeAttributes(value: unknown): Record<string, unknown> {
  const entries = listOf(value).map((each): [string, unknown] => {
    const { key, value: any } = membersOf(each, { key: isFilled, value: isObject })
    const [member, ...rest] = Object.values(membersOf(any, valueMembers))
    assert.ok(member !== undefined && rest.length === 0, 'an attribute has one value')
    return [key as string, member]
  })
  assert.equal(new Set(entries.map(([key]) => key)).size, entries.length, 'a key is there once')
  return Object.fromEntries(entries)
}

type Check = (value: unknown) => boolean

const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isList: Check = (value) => Array.isArray(value)
const isText: Check = (value) => typeof value === 'string'
const isFilled: Check = (value) => typeof value === 'string' && value !== ''
const isWhole = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
const isUint32: Check = (value) => isWhole(value, 0, 2 ** 32 - 1)
const isStatusCode: Check = (value) => isWhole(value, 0, 2)
/** SPAN_KIND_INTERNAL to SPAN_KIND_CONSUMER: "Do NOT use" 0. */
const isKind: Check = (value) => isWhole(value, 1, 5)
const isFixed64: Check = (value) => typeof value === 'string' && /^[0-9]{1,20}$/.test(value) && BigInt(value) < 2n ** 64n
const isInt64: Check = (value) => Number.isSafeInteger(value) || (typeof value === 'string' && /^-?[0-9]{1,19}$/.test(value))
const isId =
  (length: number): Check =>
  (value) =>
    typeof value === 'string' && new RegExp(`^[0-9a-f]{${String(length)}}$`).test(value) && /[^0]/.test(value)

const spanMembers: Readonly<Record<string, Check>> = {
  traceId: isId(32),
  spanId: isId(16),
  traceState: isText,
  parentSpanId: isId(16),
  flags: isUint32,
  name: isFilled,
  kind: isKind,
  startTimeUnixNano: isFixed64,
  endTimeUnixNano: isFixed64,
  attributes: isList,
  droppedAttributesCount: isUint32,
  events: isList,
  droppedEventsCount: isUint32,
  links: isList,
  droppedLinksCount: isUint32,
  status: isObject,
}

/** AnyValue, without lists, maps and bytes, which this service does not send. */
const valueMembers: Readonly<Record<string, Check>> = {
  stringValue: isText,
  intValue: isInt64,
  doubleValue: (value) => typeof value === 'number',
  boolValue: (value) => typeof value === 'boolean',
}

function membersOf(value: unknown, allowed: Readonly<Record<string, Check>>): Record<string, unknown> {
  assert.ok(isObject(value), JSON.stringify(value))
  for (const [name, member] of Object.entries(value as object)) {
    const check = Object.hasOwn(allowed, name) ? allowed[name] : undefined
    assert.ok(check !== undefined, `unknown member ${name}`)
    assert.ok(check(member), `${name} is ${JSON.stringify(member)}`)
  }
  return value as Record<string, unknown>
}

function listOf(value: unknown): readonly unknown[] {
  assert.ok(Array.isArray(value), JSON.stringify(value))
  return value
}
