/**
 * Conformance vectors: bytes in, bytes out (the format is described in README.md). Read from `vectors/<group>.json`; a file that is not of this
 * format throws, with the path of the fault.
 */
export interface VectorFile {
  readonly group: string
  readonly about: string
  readonly cases: readonly Vector[]
}

export interface Vector {
  readonly title: string
  /** The rule that it checks. */
  readonly spec: string
  readonly needs: readonly VectorNeed[]
  /** Waits on purpose; run with `--slow` only. */
  readonly slow: boolean
  readonly request: VectorRequest
  readonly reply: VectorReply
  readonly limits: { readonly msMin: number; readonly msMax: number }
}

/**
 * `test`: creates cards, requests codes or counts in a limit. `other merchant`: credentials of a second one. `refusing endpoint`: of one whose own
 * endpoint this runner simulates.
 */
export type VectorNeed = (typeof needs)[number]

/** Either a request that the runner completes (Host, Connection, Content-Length), or raw bytes as they go over the socket. */
export type VectorRequest =
  | { readonly kind: 'call'; readonly line: string; readonly headers: readonly string[]; readonly body: readonly Piece[] | null }
  | { readonly kind: 'raw'; readonly raw: readonly Piece[] }

/** Text with placeholders, bytes, or a repeated text. */
export type Piece = string | { readonly base64: string } | { readonly repeat: string; readonly times: number }

export interface VectorReply {
  readonly status: number
  /** Lower-case name → template of its value; null: the header must not be there. */
  readonly headers: Readonly<Record<string, string | null>>
  /** Template of the whole body; null: any body. */
  readonly body: string | null
  readonly contains: readonly string[]
  /** Whether the server must close the connection. */
  readonly closes: boolean
}

export function readVectorFile(group: string, text: string): VectorFile {
  const file = members(JSON.parse(text), group, ['about', 'cases'])
  const cases = list(file.cases, `${group}: cases`).map((value, index) => readVector(value, `${group}, case ${index + 1}`))
  return { group, about: string(file.about, `${group}: about`), cases }
}

function readVector(value: unknown, place: string): Vector {
  const read = members(value, place, ['title', 'spec', 'needs', 'slow', 'request', 'reply', 'limits'])
  const limits = members(read.limits ?? {}, `${place}: limits`, ['msMin', 'msMax'])
  return {
    title: string(read.title, `${place}: title`),
    spec: string(read.spec, `${place}: spec`),
    needs: list(read.needs ?? [], `${place}: needs`).map((need) => readNeed(need, place)),
    slow: read.slow === true,
    request: readRequest(read.request, `${place}: request`),
    reply: readReply(read.reply, `${place}: reply`),
    limits: { msMin: number(limits.msMin ?? 0, place), msMax: number(limits.msMax ?? replyMsMax, place) },
  }
}

function readNeed(value: unknown, place: string): VectorNeed {
  const need = needs.find((known) => known === value)
  if (need === undefined) throw new Error(`${place}: needs is one of "${needs.join('", "')}"`)
  return need
}

function readRequest(value: unknown, place: string): VectorRequest {
  const read = members(value, place, ['line', 'headers', 'json', 'body', 'raw'])
  if (read.raw !== undefined) return { kind: 'raw', raw: pieces(read.raw, place) }
  return {
    kind: 'call',
    line: string(read.line, `${place}: line`),
    headers: list(read.headers ?? [], `${place}: headers`).map((header) => string(header, `${place}: headers`)),
    body: read.json === undefined ? (read.body === undefined ? null : pieces(read.body, place)) : [JSON.stringify(read.json)],
  }
}

function readReply(value: unknown, place: string): VectorReply {
  const read = members(value, place, ['status', 'headers', 'json', 'body', 'contains', 'closes'])
  const isJson = read.json !== undefined
  return {
    status: number(read.status ?? 200, place),
    headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...readHeaders(read.headers ?? {}, place) },
    body: isJson ? unquoted(JSON.stringify(read.json)) : read.body === undefined ? null : string(read.body, `${place}: body`),
    contains: list(read.contains ?? [], `${place}: contains`).map((text) => string(text, `${place}: contains`)),
    closes: read.closes === true,
  }
}

function readHeaders(value: unknown, place: string): Record<string, string | null> {
  const headers = Object.entries(members(value, `${place}: headers`, null))
  return Object.fromEntries(headers.map(([name, text]) => [name, text === null ? null : string(text, `${place}: ${name}`)]))
}

/** Placeholders of numbers and objects have no quotes in the response. */
function unquoted(json: string): string {
  return json.replaceAll(/"(\{\{(?:int|object)(?::[^{}"]*)?\}\})"/g, '$1')
}

function pieces(value: unknown, place: string): Piece[] {
  return (Array.isArray(value) ? value : [value]).map((piece: unknown) => readPiece(piece, place))
}

function readPiece(value: unknown, place: string): Piece {
  if (typeof value === 'string') return value
  const read = members(value, place, ['base64', 'repeat', 'times'])
  if (read.base64 !== undefined) return { base64: string(read.base64, place) }
  return { repeat: string(read.repeat, place), times: number(read.times, place) }
}

function members(value: unknown, place: string, known: readonly string[] | null): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${place} is no object`)
  const stranger = known === null ? undefined : Object.keys(value).find((name) => !known.includes(name))
  if (stranger !== undefined) throw new Error(`${place} has an unknown member ${stranger}`)
  return value as Record<string, unknown>
}

function list(value: unknown, place: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${place} is no array`)
  return value
}

function string(value: unknown, place: string): string {
  if (typeof value !== 'string') throw new Error(`${place} is no string`)
  return value
}

function number(value: unknown, place: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw new Error(`${place}: a number is missing or wrong`)
  return value
}

/** A response that takes longer than this differs, unless the vector has a limit of its own. */
const replyMsMax = 5000
const needs = ['test', 'other merchant', 'refusing endpoint'] as const
