import { openHttpConnection, type HttpConnection } from '../fault/http-connection.ts'
import { plantedFaults } from '../fault/planted-faults.ts'
import { makeRandom, type Random } from '../fault/random.ts'
import { startService, type RunningService } from '../fault/spawn.ts'
import { drawSeededPan } from '../fault/seeded-pans.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'
import { crop, meanOf, welchT } from './welch.ts'

/** Whether the time of a reply reveals what the reply must not. */
export const timing: Measurement = {
  name: 'timing',
  question: 'Does the time of a reply distinguish a nearly right password from a wrong one, or a known card from an unknown one?',
  async run(bench) {
    const samples = bench.isQuick ? 2000 : 20_000
    return [
      ...(await measurePasswords(bench, 'password', samples, [])),
      ...(await measurePasswords(bench, 'control, early return', samples, [plantedFaults.earlyReturn])),
      ...(await measureCards(bench, samples)),
    ]
  },
}

/** One kind of request; `next` writes another one each time. */
interface Kind {
  readonly path: string
  readonly next: () => { xAuth: string; body: string }
}

async function measurePasswords({ dataFactory, say }: Bench, of: string, samples: number, imports: readonly URL[]): Promise<Measure[]> {
  const serviceData = await dataFactory.create('sqlite')
  const running = await startService({ flags: [...serviceData.flags, ...quiet], imports })
  const [id = '', password = ''] = running.xAuth.split(':')
  const random = makeRandom(1)
  // Each kind draws a new text: a constant text is sent faster than drawn ones, which alone gives |t| of 11 to 18.
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
  await serviceData.remove()
  say(`${of}: ${samples} samples of each kind`)
  const isControl = imports.length > 0
  const target = isControl ? { least: threshold } : { most: threshold }
  return [
    { of: 'timing', name: `${of}: wrong against nearly right`, value: distance(far, near), unit: '|t|', target: target },
    ...(isControl
      ? []
      : [{ of: 'timing', name: 'id unknown against known (not secret)', value: gapMicroseconds(unknown, far), unit: 'µs' }]),
  ]
}

/** A number with many tokens, compared with new numbers. The sandbox cards are public, and are used for their scenarios only. */
async function measureCards({ dataFactory, say }: Bench, samples: number): Promise<Measure[]> {
  const serviceData = await dataFactory.create('sqlite')
  const running = await startService({ flags: [...serviceData.flags, ...quiet] })
  const xAuth = running.xAuth.slice(0, running.xAuth.indexOf(':'))
  const random = makeRandom(2)
  const creating = (draw: () => string): Kind => ({ path: '/api/cards.create', next: () => ({ xAuth, body: createBody(draw()) }) })
  const often = drawSeededPan(random)
  const [known, unknown] = await sample(running, random, samples, [creating(() => often), creating(() => drawSeededPan(random))])
  await running.stop()
  await serviceData.remove()
  say(`cards: ${samples} samples of each kind`)
  return [{ of: 'timing', name: 'card known against unknown', value: distance(known, unknown), unit: '|t|', target: { most: threshold } }]
}

/** Round trips in nanoseconds, one after the other on one connection, the kinds in random order. */
async function sample(running: RunningService, random: Random, samples: number, kinds: readonly Kind[]): Promise<number[][]> {
  const connection = await openHttpConnection(running.url)
  const durations: number[][] = kinds.map(() => [])
  for (let warm = 0; warm < warmUps; warm++) for (const kind of kinds) await timeOne(connection, kind)
  for (let at = 0; at < samples * kinds.length; at++) {
    const chosen = random.between(0, kinds.length - 1)
    const kind = kinds[chosen]
    if (kind !== undefined) durations[chosen]?.push(await timeOne(connection, kind))
  }
  connection.close()
  return durations
}

async function timeOne(connection: HttpConnection, { path, next }: Kind): Promise<number> {
  const drawn = next()
  // Flat strings, whatever they were concatenated from.
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
/** The threshold of the test vector leakage assessment (ISO/IEC 17825). */
const threshold = 4.5
const warmUps = 500
