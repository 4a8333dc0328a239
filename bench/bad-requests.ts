import type { Random } from '../fault/random.ts'
import { drawSeededPan } from '../fault/seeded-pans.ts'

/** Draws requests that a service has to refuse, or that are costly to handle: whole HTTP requests, ready to send. */
export function makeCostlyRequests(random: Random, host: string, xAuth: string): () => Buffer {
  return () => {
    const draw = kinds[random.between(0, kinds.length - 1)] ?? brokenText
    const body = draw(random)
    const path = random.chance(0.5) ? '/api' : '/api/cards.create'
    const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nx-auth: ${xAuth}\r\ncontent-length: ${body.length}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), body])
  }
}

type Draw = (random: Random) => Buffer

/** A valid request with a few bytes changed or cut off. */
const brokenText: Draw = (random) => {
  const bytes = Buffer.from(writeCall({ card: { number: drawSeededPan(random), expire: '0399' }, save: true }))
  for (let times = random.between(1, 4); times > 0; times--) bytes[random.between(0, bytes.length - 1)] = random.between(0, 255)
  return random.chance(0.3) ? bytes.subarray(0, random.between(0, bytes.length)) : bytes
}

/** Deep nesting. */
const deep: Draw = (random) => {
  const depth = random.between(10, 20_000)
  const [open, close] = random.chance(0.5) ? ['[', ']'] : ['{"a":', '}']
  return Buffer.from(writeText(`${open.repeat(Math.min(depth, fits(open)))}1${close.repeat(Math.min(depth, fits(open)))}`))
}

/** Many members, repeated members, or names with a meaning in JavaScript. */
const crowded: Draw = (random) => {
  const name = (at: number): string =>
    random.chance(0.1) ? (specialNames[at % specialNames.length] ?? '') : random.chance(0.1) ? 'repeated' : `m${at}`
  const members = Array.from({ length: random.between(1, 3000) }, (_, at) => `${JSON.stringify(name(at))}:${at}`)
  return Buffer.from(writeText(`{${members.join(',')}}`))
}

/** As long as a body may be, of one repeated text: digits, blanks, escapes, quotes, zeros, invalid UTF-8. */
const long: Draw = (random) => {
  const unit = units[random.between(0, units.length - 1)] ?? ' '
  const text = unit.repeat(Math.floor(random.between(1000, bodyBytes) / unit.length))
  const body = Buffer.from(writeText(random.chance(0.5) ? `"${text}"` : text), 'latin1')
  return body
}

/** Card numbers in wrong places, and more than one of them. */
const misplaced: Draw = (random) => {
  const places = Array.from({ length: random.between(1, 200) }, (_, at) => [
    `p${at}`,
    random.chance(0.5) ? drawSeededPan(random) : Number(drawSeededPan(random)),
  ])
  return Buffer.from(writeCall({ card: { number: drawSeededPan(random), expire: '0399' }, detail: Object.fromEntries(places) as object }))
}

/** Valid JSON with wrong types. */
const mistyped: Draw = (random) => {
  const draw = (): unknown => values[random.between(0, values.length - 1)]
  return Buffer.from(
    JSON.stringify({
      jsonrpc: draw(),
      id: draw(),
      method: random.chance(0.7) ? 'cards.create' : draw(),
      params: random.chance(0.3) ? draw() : { card: draw(), save: draw() },
    }),
  )
}

/** A batch of calls, each of which fails. */
const batch: Draw = (random) =>
  Buffer.from(`[${Array.from({ length: random.between(0, 40) }, () => brokenText(random).toString('latin1')).join(',')}]`, 'latin1')

const kinds: readonly Draw[] = [brokenText, deep, crowded, long, misplaced, mistyped, batch]
const specialNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'cvv', 'pin']
const units = ['8', '86000000', ' ', '\\u0030', '\\', '"', '0', '\xff', '\xed\xa0\x80', '[],', '8600 0000 ', '1e9', '\t\n', '{"a":1},']
const values: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  0.1,
  '',
  'a',
  [],
  {},
  [[]],
  { number: 1 },
  { number: '8600', expire: '0399' },
  '\u0000',
  '2.0',
  2 ** 53,
]
const bodyBytes = 64_000

function writeCall(params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'cards.create', params })
}

function writeText(value: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"cards.create","params":${value}}`
}

function fits(open: string): number {
  return Math.floor(30_000 / open.length)
}
