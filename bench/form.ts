import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { median } from '../fault/statistics.ts'
import { root, startService } from '../fault/spawn.ts'
import { openFormStage, type FormPageKind } from './form-stage.ts'
import type { Measure, Measurement } from './measurement.ts'

/** How big the card form is, and how long a page waits for it beside frames that hold nothing. */
export const form: Measurement = {
  name: 'form',
  question: 'How many bytes are the card form and its SDK, and how long until the form is ready beside a bare iframe and three of them?',
  async run({ dataFactory, isQuick, say }) {
    const serviceData = await dataFactory.create('sqlite')
    const running = await startService({ flags: serviceData.flags })
    const merchant = running.xAuth.slice(0, running.xAuth.indexOf(':'))
    const stage = await openFormStage(running.url, merchant)
    const spans: Record<FormPageKind, number[]> = { form: [], one: [], three: [] }
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
      await serviceData.remove()
    }
  },
}

/**
 * The document as it is served for the demo merchant, in each language, and the file that a script tag loads. The aim is about production's document; the test
 * environment's, which is the one that is served here, measures a theme's colours besides.
 */
async function tellSizes(url: string, formAddress: string): Promise<Measure[]> {
  const guard = `<script>${readFileSync(join(root, 'browser', 'dist', 'contrast-check.js'), 'utf8')}</script>`
  const measures: Measure[] = []
  for (const locale of languages) {
    const served = await read(`${formAddress}&locale=${locale}`)
    if (!served.includes(guard)) throw new Error('the form document does not hold what was built: npm run build')
    const document = served.replace(guard, '')
    measures.push({ of: `form document, ${locale}`, name: 'raw', value: Buffer.byteLength(document), unit: 'bytes' })
    const aim = { most: documentBytesMax }
    measures.push({ of: `form document, ${locale}`, name: 'Brotli', value: squeezed(document), unit: 'bytes', target: aim })
    measures.push({ of: `form document, ${locale}`, name: 'gzip', value: zipped(document), unit: 'bytes', target: aim })
    measures.push({ of: `form document, ${locale}`, name: 'gzip, test environment', value: zipped(served), unit: 'bytes' })
  }
  const sdk = await read(`${url}/sdk/v1/tessera.js`)
  measures.push({ of: 'SDK tessera.js', name: 'raw', value: Buffer.byteLength(sdk), unit: 'bytes' })
  measures.push({
    of: 'SDK tessera.js',
    name: 'gzip',
    value: gzipSync(sdk, { level: 9 }).length,
    unit: 'bytes',
    target: { most: sdkBytesMax },
  })
  return measures
}

async function read(address: string): Promise<string> {
  return (await fetch(address, { headers: { 'accept-encoding': 'identity' } })).text()
}

/** As the service zips it (service/src/server/pages/form-routes.ts). */
function zipped(text: string): number {
  return gzipSync(text, { level: 9, memLevel: 6 }).length
}

/** As the service sends it to whoever takes Brotli: every browser, over HTTPS. */
function squeezed(text: string): number {
  return brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
  }).length
}

/** Each round's own ratio, and the middle of them: what slows the machine slows all three. */
function tellSpans(spans: Readonly<Record<FormPageKind, readonly number[]>>): Measure[] {
  const ratioTo = (other: FormPageKind): number => median(spans.form.map((ms, round) => ms / (spans[other][round] ?? NaN)))
  return [
    { of: 'form ready', name: 'to one bare iframe', value: ratioTo('one'), unit: '×', target: { most: 2 } },
    { of: 'form ready', name: 'to three bare iframes', value: ratioTo('three'), unit: '×' },
    { of: 'form ready', name: 'from mount to ready', value: median(spans.form), unit: 'ms' },
    { of: 'one bare iframe', name: 'from append to its word', value: median(spans.one), unit: 'ms' },
    { of: 'three bare iframes', name: 'from append to the last word', value: median(spans.three), unit: 'ms' },
  ]
}

const orders: readonly (readonly FormPageKind[])[] = [
  ['form', 'one', 'three'],
  ['one', 'three', 'form'],
  ['three', 'form', 'one'],
  ['form', 'three', 'one'],
  ['three', 'one', 'form'],
  ['one', 'form', 'three'],
]
const languages = ['uz', 'ru', 'en']
const warmUps = 3
const documentBytesMax = 10 * 1024
const sdkBytesMax = 3 * 1024
