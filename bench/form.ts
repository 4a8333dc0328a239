import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { median } from '../fault/statistics.ts'
import { startService } from '../fault/spawn.ts'
import { openFormStage, type FormPageKind } from './form-stage.ts'
import type { Measure, Measurement } from './measurement.ts'

/** The size of the card form, and the time until it is ready, compared with empty frames. */
export const form: Measurement = {
  name: 'form',
  question: 'How many bytes are the card form and its SDK, and how long until the form is ready, compared with one and three bare iframes?',
  async run({ dataFactory, isQuick, say }) {
    const serviceData = await dataFactory.create('sqlite')
    const running = await startService({ flags: serviceData.flags })
    const merchant = running.xAuth.slice(0, running.xAuth.indexOf(':'))
    const stage = await openFormStage(running.url, merchant)
    const durations: Record<FormPageKind, number[]> = { form: [], one: [], three: [] }
    try {
      const rounds = isQuick ? 10 : 60
      for (let round = -warmUps; round < rounds; round++) {
        // Each kind is as often before the others as after them.
        for (const opening of orders[Math.abs(round) % orders.length] ?? []) {
          const ms = await stage.time(opening)
          if (round >= 0) durations[opening].push(ms)
        }
        if (round >= 0 && (round + 1) % 10 === 0) say(`form: round ${String(round + 1)} of ${String(rounds)}`)
      }
      return [...(await measureSizes(running.url, stage.formAddress)), ...summarizeDurations(durations)]
    } finally {
      await stage.close()
      await running.stop()
      await serviceData.remove()
    }
  },
}

/** The document as it is served for the demo merchant, in each language, and the file that a script tag loads. */
async function measureSizes(url: string, formAddress: string): Promise<Measure[]> {
  const measures: Measure[] = []
  for (const locale of languages) {
    const document = await read(`${formAddress}&locale=${locale}`)
    measures.push({ of: `form document, ${locale}`, name: 'raw', value: Buffer.byteLength(document), unit: 'bytes' })
    const target = { most: documentBytesMax }
    measures.push({
      of: `form document, ${locale}`,
      name: 'Brotli',
      value: brotliSize(document),
      unit: 'bytes',
      target: { most: brotliBytesMax },
    })
    measures.push({ of: `form document, ${locale}`, name: 'gzip', value: gzipSize(document), unit: 'bytes', target })
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

/** Compressed as by the service (service/src/server/pages/page-compression.ts). */
function gzipSize(text: string): number {
  return gzipSync(text, { level: 9, memLevel: 6 }).length
}

/** Compressed as for clients that accept Brotli: every browser, over HTTPS. */
function brotliSize(text: string): number {
  return brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: 16,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  }).length
}

/** The median of the ratios of the rounds: other load on the machine affects all three kinds of a round. */
function summarizeDurations(durations: Readonly<Record<FormPageKind, readonly number[]>>): Measure[] {
  const ratioTo = (other: FormPageKind): number => median(durations.form.map((ms, round) => ms / (durations[other][round] ?? NaN)))
  return [
    { of: 'form ready', name: 'to one bare iframe', value: ratioTo('one'), unit: '×', target: { most: 2 } },
    { of: 'form ready', name: 'to three bare iframes', value: ratioTo('three'), unit: '×' },
    { of: 'form ready', name: 'from mount to ready', value: median(durations.form), unit: 'ms' },
    { of: 'one bare iframe', name: 'from append to its message', value: median(durations.one), unit: 'ms' },
    { of: 'three bare iframes', name: 'from append to the last message', value: median(durations.three), unit: 'ms' },
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
const documentBytesMax = 12 * 1024
const brotliBytesMax = 11 * 1024
const sdkBytesMax = 3.5 * 1024
