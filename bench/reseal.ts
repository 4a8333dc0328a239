import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { longLifetimes } from '../fault/inspect.ts'
import type { ServiceData, StoreKind } from '../fault/service-data.ts'
import { runCommand, startService } from '../fault/spawn.ts'

import { measureBeside, toBesideMeasures } from './beside.ts'
import { fillCards } from './fill-cards.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'

/** A key is compromised: how fast its cards are resealed by command while calls go on, and what the calls notice. */
export const reseal: Measurement = {
  name: 'reseal',
  question: 'How many cards a second does tessera keys reseal beside a load of calls, and how much slower are these?',
  async run(bench) {
    const measures: Measure[] = []
    for (const store of bench.stores) measures.push(...(await measureReseal(bench, store)))
    return measures
  },
}

async function measureReseal({ dataFactory, isQuick, say }: Bench, store: StoreKind): Promise<Measure[]> {
  const serviceData = await dataFactory.create(store)
  const of = `reseal ${store}`
  const cards = Number(process.env['BENCH_RESEAL_CARDS'] ?? (isQuick ? 5000 : 50_000))
  await fillCards(serviceData, { count: cards, flags: longLifetimes, say: (text) => say(`${of}: ${text}`) })
  const flags = [...serviceData.flags, ...longLifetimes, '--log-level=warn']
  const running = await startService({ flags, logFile: join(serviceData.folder, 'log') })
  try {
    const alone = await measureBeside(running, serviceData, () => pause(isQuick ? 5000 : 15_000))
    const [merchantId = ''] = running.xAuth.split(':')
    const old = await findCardKey(serviceData, merchantId)
    await runTessera(serviceData, ['keys', 'rotate', 'card', merchantId])
    let resealed = 0
    const beside = await measureBeside(running, serviceData, async () => {
      resealed = ((await runTessera(serviceData, ['keys', 'reseal', old, ...shareFlags])) as { readonly resealed: number }).resealed
    })
    const after = await measureBeside(running, serviceData, () => pause(isQuick ? 5000 : 15_000))
    const perSecond = resealed / beside.seconds
    say(
      `${of}: ${String(resealed)} cards in ${beside.seconds.toFixed(1)} s; p99 of calls ${alone.p99Ms.toFixed(1)} ms alone, ${beside.p99Ms.toFixed(1)} ms beside it`,
    )
    return [
      { of, name: 'cards', value: resealed, unit: '' },
      { of, name: 'cards a second', value: perSecond, unit: '/s', target: { least: cardsInAnHour / 3600 } },
      { of, name: 'a million cards', value: cardsInAnHour / perSecond / 60, unit: 'min' },
      ...toBesideMeasures(of, resealed, { alone, beside, after }),
    ]
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

async function findCardKey(serviceData: ServiceData, merchantId: string): Promise<string> {
  const { keys } = (await runTessera(serviceData, ['keys', 'status'])) as {
    readonly keys: readonly { readonly keyId: string; readonly purpose: string; readonly owner: string }[]
  }
  const key = keys.find(({ purpose, owner }) => purpose === 'card' && owner === merchantId)
  if (key === undefined) throw new Error('the merchant has no card key')
  return key.keyId
}

async function runTessera({ flags }: ServiceData, words: readonly string[]): Promise<unknown> {
  const { code, out } = await runCommand([...words, '--json', ...flags.filter((flag) => flag.startsWith('--data='))])
  if (code !== 0) throw new Error(`tessera ${words.join(' ')} ended with ${String(code)}: ${out.slice(-500)}`)
  return JSON.parse(out.trim().split('\n').at(-1) ?? '')
}

const cardsInAnHour = 1_000_000
/** Of the time, in percent: what an operator says whose key is compromised. Default: that of the command. */
const share = process.env['BENCH_RESEAL_SHARE']
const shareFlags = share === undefined ? [] : ['--share', share]
