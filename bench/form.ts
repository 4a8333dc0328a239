import { gzipSync } from 'node:zlib'
import { median } from '../fault/figures.ts'
import { startTessera } from '../fault/spawn.ts'
import { openFormStage, type Opening } from './form-stage.ts'
import type { Figure, Measurement } from './measurement.ts'

/** How big the card form is, and how long a page waits for it beside frames that hold nothing. */
export const form: Measurement = {
  name: 'form',
  question: 'How many bytes are the card form and its SDK, and how long until the form is ready beside a bare iframe and three of them?',
  async run({ homes, isQuick, say }) {
    const home = await homes.make('sqlite')
    const running = await startTessera({ flags: home.flags })
    const merchant = running.xAuth.slice(0, running.xAuth.indexOf(':'))
    const stage = await openFormStage(running.url, merchant)
    const spans: Record<Opening, number[]> = { form: [], one: [], three: [] }
    try {
      const rounds = isQuick ? 10 : 60
      for (let round = -warmUps; round < rounds; round++) {
        // Each stands as often before the others as behind them.
        for (const opening of orders[Math.abs(round) % orders.length] ?? []) {
          const ms = await stage.time(opening)
          if (round >= 0) spans[opening].push(ms)
        }
        if (round >= 0 && (round + 1) % 10 === 0) say(`form: round ${String(round + 1)} of ${String(rounds)}`)
      }
      return [...(await tellSizes(running.url, stage.formAddress)), ...tellSpans(spans)]
    } finally {
      await stage.close()
      await running.stop()
      await home.remove()
    }
  },
}

/** As they go over the wire: the document as it is served for the demo merchant, and the file that a script tag loads. */
async function tellSizes(url: string, formAddress: string): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [of, address, most] of [
    ['form document', formAddress, documentBytesMax],
    ['SDK tessera.js', `${url}/sdk/v1/tessera.js`, sdkBytesMax],
  ] as const) {
    const bytes = Buffer.from(await (await fetch(address, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer())
    figures.push({ of, name: 'raw', value: bytes.length, unit: 'bytes' })
    figures.push({ of, name: 'gzip', value: gzipSync(bytes, { level: 9 }).length, unit: 'bytes', aim: { most } })
  }
  return figures
}

/** Each round's own ratio, and the middle of them: what slows the machine slows all three. */
function tellSpans(spans: Readonly<Record<Opening, readonly number[]>>): Figure[] {
  const ratioTo = (other: Opening): number => median(spans.form.map((ms, round) => ms / (spans[other][round] ?? NaN)))
  return [
    { of: 'form ready', name: 'to one bare iframe', value: ratioTo('one'), unit: '×', aim: { most: 2 } },
    { of: 'form ready', name: 'to three bare iframes', value: ratioTo('three'), unit: '×' },
    { of: 'form ready', name: 'from mount to ready', value: median(spans.form), unit: 'ms' },
    { of: 'one bare iframe', name: 'from append to its word', value: median(spans.one), unit: 'ms' },
    { of: 'three bare iframes', name: 'from append to the last word', value: median(spans.three), unit: 'ms' },
  ]
}

const orders: readonly (readonly Opening[])[] = [
  ['form', 'one', 'three'],
  ['one', 'three', 'form'],
  ['three', 'form', 'one'],
  ['form', 'three', 'one'],
  ['three', 'one', 'form'],
  ['one', 'form', 'three'],
]
const warmUps = 3
const documentBytesMax = 10 * 1024
const sdkBytesMax = 3 * 1024
