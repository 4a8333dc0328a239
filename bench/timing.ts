import { openConnection, type Connection } from '../fault/connection.ts'
import { makeRandom, type Random } from '../fault/random.ts'
import { startTessera, type Running } from '../fault/spawn.ts'
import { drawPan } from './cards.ts'
import type { Bench, Figure, Measurement } from './measurement.ts'
import { crop, meanOf, welchT } from './welch.ts'

/** Whether the time of an answer tells what the answer must not. */
export const timing: Measurement = {
  name: 'timing',
  question: 'Does the time of an answer tell a nearly right password from a wrong one, or a known card from an unknown one?',
  async run(bench) {
    const samples = bench.isQuick ? 2000 : 20_000
    return [
      ...(await measurePasswords(bench, 'password', samples, [])),
      ...(await measurePasswords(bench, 'control, early return', samples, [new URL('./doubles/compare-hastily.ts', import.meta.url)])),
      ...(await measureCards(bench, samples)),
    ]
  },
}

/** One kind of request: writes another one of its kind each time. */
interface Kind {
  readonly path: string
  readonly next: () => { xAuth: string; body: string }
}

async function measurePasswords({ homes, say }: Bench, of: string, samples: number, imports: readonly URL[]): Promise<Figure[]> {
  const home = await homes.make('sqlite')
  const running = await startTessera({ flags: [...home.flags, ...quiet], imports })
  const [id = '', password = ''] = running.xAuth.split(':')
  const random = makeRandom(1)
  // Each kind draws as much and makes a text of its own: a constant beside drawn texts is sent faster, and |t| is 11 to 18 by that alone.
  const drawn = (write: (text: string) => string): Kind => ({
    path: '/api/cards.check',
    next: () => ({ xAuth: write(drawText(random, password.length)), body: checkBody }),
  })
  const [far, near, unknown] = await sample(running, random, samples, [
    drawn((text) => `${id}:${text}`),
    drawn((text) => `${id}:${password.slice(0, -1)}${text.slice(-1)}`),
    drawn((text) => `000000000000000000000000:${password.slice(0, -1)}${text.slice(-1)}`),
  ])
  await running.stop()
  await home.remove()
  say(`${of}: ${samples} samples of each kind`)
  const isControl = imports.length > 0
  const aim = isControl ? { least: threshold } : { most: threshold }
  return [
    { of: 'timing', name: `${of}: wrong against nearly right`, value: distance(far, near), unit: '|t|', aim },
    ...(isControl
      ? []
      : [{ of: 'timing', name: 'id unknown against known (told openly)', value: gapMicroseconds(unknown, far), unit: 'µs' }]),
  ]
}

/** A number that was given a token many times before, beside numbers that nobody has sent. Sandbox cards are public: for their scenarios only. */
async function measureCards({ homes, say }: Bench, samples: number): Promise<Figure[]> {
  const home = await homes.make('sqlite')
  const running = await startTessera({ flags: [...home.flags, ...quiet] })
  const xAuth = running.xAuth.slice(0, running.xAuth.indexOf(':'))
  const random = makeRandom(2)
  const creating = (draw: () => string): Kind => ({ path: '/api/cards.create', next: () => ({ xAuth, body: createBody(draw()) }) })
  const often = drawPan(random)
  const [known, unknown] = await sample(running, random, samples, [creating(() => often), creating(() => drawPan(random))])
  await running.stop()
  await home.remove()
  say(`cards: ${samples} samples of each kind`)
  return [{ of: 'timing', name: 'card known against unknown', value: distance(known, unknown), unit: '|t|', aim: { most: threshold } }]
}

/** Round trips in nanoseconds, one after the other on one connection, the kinds in random order. */
async function sample(running: Running, random: Random, samples: number, kinds: readonly Kind[]): Promise<number[][]> {
  const connection = await openConnection(running.url)
  const spans: number[][] = kinds.map(() => [])
  for (let warm = 0; warm < warmUps; warm++) for (const kind of kinds) await timeOne(connection, kind)
  for (let at = 0; at < samples * kinds.length; at++) {
    const chosen = random.between(0, kinds.length - 1)
    const kind = kinds[chosen]
    if (kind !== undefined) spans[chosen]?.push(await timeOne(connection, kind))
  }
  connection.close()
  return spans
}

async function timeOne(connection: Connection, { path, next }: Kind): Promise<number> {
  const drawn = next()
  // One flat string each, whatever it was put together from.
  const [xAuth, body] = [Buffer.from(drawn.xAuth).toString(), drawn.body]
  const startedAt = process.hrtime.bigint()
  await connection.post(path, xAuth, body)
  return Number(process.hrtime.bigint() - startedAt)
}

function distance(one: readonly number[] = [], other: readonly number[] = []): number {
  const [a = [], b = []] = crop([one, other])
  return Math.abs(welchT(a, b))
}

function gapMicroseconds(one: readonly number[] = [], other: readonly number[] = []): number {
  const [a = [], b = []] = crop([one, other])
  return Math.abs(meanOf(a) - meanOf(b)) / 1000
}

function drawText(random: Random, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(random.between(97, 122))).join('')
}

function createBody(pan: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'cards.create', params: { card: { number: pan, expire: '0399' }, save: true } })
}

const checkBody = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'cards.check', params: { token: '0' } })
const quiet = ['--log-level=warn']
/** Of the test vector leakage assessment (ISO/IEC 17825). */
const threshold = 4.5
const warmUps = 500
