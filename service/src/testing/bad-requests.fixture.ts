import { maxBodyBytes } from '@tessera/contract/envelope'

import { demoXAuths, type FuzzDemo } from './fuzz-demo.fixture.ts'
import { readJsonTestSuite, readNaughtyStrings } from '../../../tools/corpora.ts'
import { grouped, makePan } from './pans.fixture.ts'
import type { Seeded } from './seeded.fixture.ts'

/** One generated request. */
export interface BadRequest {
  readonly bytes: Buffer
  /** Whether its framing is right, so that it gets exactly one reply and the connection stays open. */
  readonly isFramed: boolean
  /** The id that the reply must echo; undefined if unknown. */
  readonly id: string | number | null | undefined
}

/** Card numbers in all kinds of positions in the requests; none may remain anywhere. */
export const canaries: readonly string[] = ['8600', '9860', '5614', '2200', '2345'].flatMap((prefix) =>
  Array.from({ length: 8 }, (_, i) => makePan(prefix, 77_000_003 * (i + 1))),
)

const canariesInGroups = canaries.flatMap((canary) => [grouped(canary, ' '), grouped(canary, '-')])

/** Generates requests that are invalid in one or several ways: broken JSON, unusual values, headers and paths, and sometimes framing. */
export function makeBadRequests(choose: Seeded, demo: FuzzDemo): () => BadRequest {
  const suite = readJsonTestSuite().map(({ bytes }) => bytes.subarray(0, 20_000))
  const naughty = [...readNaughtyStrings(), ...ownStrings]
  const xAuths = [...demoXAuths(demo), ...naughty.slice(0, 40)]

  return () => {
    const kind = choose.below(100)
    if (kind < 3) return misframed(choose)
    const body = (kind < 25 && suite.length > 0 ? fromSuite(choose, suite) : fromTemplate(choose, naughty)).subarray(0, maxBodyBytes)
    return framed(choose, { body, xAuths, naughty })
  }
}

function fromSuite(choose: Seeded, suite: readonly Buffer[]): Buffer {
  const text = choose.pick(suite)
  const place = choose.pick([
    ['', ''],
    ['{"id":1,"method":"cards.check","params":', '}'],
    ['{"id":', ',"method":"rpc.discover"}'],
    ['[', ']'],
    ['{"method":"cards.create","params":{"card":{"number":', ',"expire":"0399"}}}'],
  ] as const)
  return Buffer.concat([Buffer.from(place[0]), text, Buffer.from(place[1])])
}

function fromTemplate(choose: Seeded, naughty: readonly string[]): Buffer {
  const calls = Array.from({ length: choose.chance(0.1) ? choose.below(24) : 1 }, () => oneCall(choose, naughty))
  const text = JSON.stringify(calls.length === 1 && choose.chance(0.9) ? calls[0] : calls)
  return choose.chance(0.45) ? mutate(choose, Buffer.from(text)) : Buffer.from(text)
}

function oneCall(choose: Seeded, naughty: readonly string[]): unknown {
  if (choose.chance(0.03)) return anyValue(choose, naughty, 0)
  const call: Record<string, unknown> = {
    id: choose.pick([1, 'a', null, choose.below(1e9), anyValue(choose, naughty, 2)]),
    method: choose.pick(methods),
  }
  if (choose.chance(0.5)) call['jsonrpc'] = choose.pick(['2.0', '2.0', '2.0', '2.0', '2.0', '1.0', '1.0', '3.0', 2, null])
  call['params'] = choose.chance(0.9) ? params(choose, naughty) : anyValue(choose, naughty, 0)
  if (choose.chance(0.1)) call[choose.pick([...naughty, 'extra', 'constructor', choose.pick(canaries)])] = anyValue(choose, naughty, 1)
  return call
}

function params(choose: Seeded, naughty: readonly string[]): unknown {
  const value = (likely: unknown): unknown => (choose.chance(0.8) ? likely : anyValue(choose, naughty, 1))
  const token = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'
  const all: Record<string, unknown> = {
    card: value({ number: value(choose.chance(0.8) ? choose.pick(canaries) : orderNumber), expire: value('0399') }),
    save: value(true),
    token: value(token),
    code: value('666666'),
    account: value({ order: value('1') }),
    [choose.pick(['cvv', 'Pin', 'note', choose.pick(naughty), choose.pick(canaries)])]: value(choose.pick(canaries)),
  }
  return Object.fromEntries(Object.entries(all).filter(() => choose.chance(0.6)))
}

function anyValue(choose: Seeded, naughty: readonly string[], depth: number): unknown {
  const kind = choose.below(depth > 3 ? 2 : 4)
  if (kind < 2) return anyScalar(choose, naughty)
  const isLong = choose.chance(0.01)
  const parts = Array.from({ length: isLong ? 300 : choose.below(4) }, () => (isLong ? 0 : anyValue(choose, naughty, depth + 1)))
  return kind === 2
    ? parts
    : Object.fromEntries(parts.map((part, i) => [choose.pick([`m${i}`, choose.pick(naughty), choose.pick(canaries)]), part]))
}

function anyScalar(choose: Seeded, naughty: readonly string[]): unknown {
  switch (choose.below(6)) {
    case 0:
      return choose.pick([null, true, 0, -0, 1.5, 1e21, -1e-7, ''])
    case 1:
      return choose.pick(canaries)
    case 2:
      return choose.pick(canariesInGroups)
    case 3:
      return Number(choose.pick(canaries))
    case 4:
      return choose.chance(0.5) ? `x${choose.pick(canaries)}y` : 'x'.repeat(choose.below(200))
    default:
      return choose.pick(naughty)
  }
}

function mutate(choose: Seeded, bytes: Buffer): Buffer {
  let mutated = bytes
  for (let i = choose.below(4); i >= 0; i--) {
    const at = choose.below(mutated.length + 1)
    const to = Math.min(mutated.length, at + choose.below(12))
    const inserted = choose.pick([
      Buffer.alloc(0),
      Buffer.from([choose.below(256)]),
      Buffer.from(choose.pick(tokens)),
      Buffer.from(choose.pick(canaries)),
      mutated.subarray(at, to),
      choose.chance(0.01) ? Buffer.from(choose.pick(['[', '{"a":', '"a":1,']).repeat(2000)) : Buffer.from(' '),
    ])
    mutated = Buffer.concat([mutated.subarray(0, at), inserted, mutated.subarray(choose.chance(0.5) ? to : at)])
  }
  return choose.chance(0.1) ? mutated.subarray(0, choose.below(mutated.length + 1)) : mutated
}

function framed(
  choose: Seeded,
  { body, xAuths, naughty }: { body: Buffer; xAuths: readonly string[]; naughty: readonly string[] },
): BadRequest {
  const method = choose.chance(0.97) ? 'POST' : choose.pick(['PUT', 'DELETE', 'PATCH', 'TRACE'])
  const path = choose.chance(0.8)
    ? choose.pick(paths)
    : `/${choose.pick(['', 'api/', 'api?'])}${visible(choose.pick([...naughty, ...canaries]))}`
  const headers = [`Host: ${choose.pick(['a', '127.0.0.1', 'form.example:1'])}`]
  if (choose.chance(0.9)) headers.push(`X-Auth: ${printable(choose.pick(xAuths))}`)
  if (choose.chance(0.02)) headers.push(`x-auth: ${printable(choose.pick(xAuths))}`)
  for (const name of ['Content-Type', 'Origin', 'Sec-Fetch-Site', 'Idempotency-Key', 'Accept-Language', 'X-Forwarded-For', 'Cookie'])
    if (choose.chance(0.07))
      headers.push(`${name}: ${printable(choose.pick([...naughty, ...canaries, 'ru', 'application/json', 'https://a.b']))}`)
  const isChunked = choose.chance(0.1)
  headers.push(isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`)
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1')
  const bytes = Buffer.concat([head, isChunked ? chunk(choose, body) : body])
  return { bytes, isFramed: true, id: method === 'POST' && /^\/api(\/[^/]*)?$/.test(path) ? idIn(body) : undefined }
}

function chunk(choose: Seeded, body: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length;) {
    const piece = body.subarray(at, at + 1 + choose.below(200))
    chunks.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
    at += piece.length
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])
}

/** Invalid HTTP: the connection closes, with or without a response. */
function misframed(choose: Seeded): BadRequest {
  const canary = choose.pick(canaries)
  const right = Buffer.from(
    `POST /api/cards.create HTTP/1.1\r\nHost: a\r\nX-A: ${canary}\r\nContent-Length: 60\r\n\r\n{"id":1,"method":"cards.create","params":{"a":"${canary}"`,
  )
  const bytes = choose.chance(0.7) ? mutate(choose, right) : Buffer.from(Array.from({ length: choose.below(80) }, () => choose.below(256)))
  return { bytes, isFramed: false, id: undefined }
}

/** The id of a body that JSON.parse reads as one object, if only the id decides how it is echoed. */
function idIn(body: Buffer): string | number | null | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    const call = JSON.parse(text) as { id?: unknown } | null
    if (typeof call !== 'object' || call === null || Array.isArray(call) || (text.match(/"id"|\\u/g) ?? []).length !== 1) return undefined
    const isPlain =
      typeof call.id === 'string'
        ? call.id.length <= 128 && !/[0-9]{4}/.test(call.id)
        : Number.isSafeInteger(call.id) && Math.abs(call.id as number) < 1e12
    return isPlain && !/"id":-?[0-9]*[.eE]/.test(text) ? (call.id as string | number) : undefined
  } catch {
    return undefined
  }
}

function visible(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, (letter) => encodeURIComponent(letter.toWellFormed())).slice(0, 500)
}

function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e\xa1-\xff]/g, '').slice(0, 500)
}

const methods = [
  'cards.create',
  'cards.get_verify_code',
  'cards.verify',
  'cards.check',
  'cards.remove',
  'rpc.discover',
  'toString',
  '__proto__',
  'x',
]
const paths = [
  ...Array.from({ length: 8 }, () => ['/api', '/api/']).flat(),
  '/api/cards.create',
  '/api/cards.check',
  '/api/cards.verify',
  '/api/rpc.discover',
  '/api?a=1',
  '/api/%zz',
  '/nowhere',
]
const tokens = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\u0000',
  '\\ud800',
  '\\u0000',
  '1e400',
  '-',
  'null',
  '"__proto__":1,',
  '"id":2,',
  '\ufeff',
  '"cvv":"1",',
  '\\"',
  '1e15',
]
const ownStrings = [
  '',
  ' ',
  '\u0000',
  '\u2028',
  'null',
  '{}',
  '[]',
  '"',
  '\\',
  '__proto__',
  'constructor',
  '💳',
  '<script>',
  "';--",
  '../..',
  '%00',
]
/** As long as a card number, with a wrong check digit. */
const orderNumber = '8600000000000001'
