import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { tokenOf } from '../fault/api-client.ts'
import { panWithOurOtp } from '../fault/load.ts'
import { callsBetween, p99Ms, startOpenLoad } from '../fault/open-load.ts'
import type { ServiceData, StoreKind } from '../fault/service-data.ts'
import { runCommand, startService, type RunningService } from '../fault/spawn.ts'

import { createBenchCards } from './create-cards.ts'
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
  const running = await startService({ flags: [...serviceData.flags, '--log-level=warn'], logFile: join(serviceData.folder, 'log') })
  try {
    const cards = Number(process.env['BENCH_RESEAL_CARDS'] ?? (isQuick ? 2000 : 50_000))
    await createBenchCards(running, cards)
    const alone = await measureBeside(running, () => pause(isQuick ? 5000 : 15_000))
    const [merchantId = ''] = running.xAuth.split(':')
    const old = await findCardKey(serviceData, merchantId)
    await runTessera(serviceData, ['keys', 'rotate', 'card', merchantId])
    let resealed = 0
    const beside = await measureBeside(running, async () => {
      resealed = ((await runTessera(serviceData, ['keys', 'reseal', old, ...shareFlags])) as { readonly resealed: number }).resealed
    })
    const perSecond = resealed / beside.seconds
    const of = `reseal ${store}`
    say(
      `${of}: ${String(resealed)} cards in ${beside.seconds.toFixed(1)} s; p99 of calls ${alone.p99Ms.toFixed(1)} ms alone, ${beside.p99Ms.toFixed(1)} ms beside it`,
    )
    return [
      { of, name: 'cards', value: resealed, unit: '' },
      { of, name: 'cards a second', value: perSecond, unit: '/s', target: { least: cardsInAnHour / 3600 } },
      { of, name: 'a million cards', value: cardsInAnHour / perSecond / 60, unit: 'min' },
      { of, name: 'p99 of calls alone', value: alone.p99Ms, unit: 'ms' },
      { of, name: 'p99 of calls beside it', value: beside.p99Ms, unit: 'ms' },
      { of, name: 'p99 of calls, compared', value: beside.p99Ms / alone.p99Ms, unit: 'of alone', target: { most: 2 } },
    ]
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

/** Cards are created and checked at a fixed rate while `work` is done. */
async function measureBeside(
  running: RunningService,
  work: () => Promise<void>,
): Promise<{ readonly seconds: number; readonly p99Ms: number }> {
  const end = new AbortController()
  const load = startOpenLoad({
    ...running,
    perSecond: callsPerSecond / 2,
    until: end.signal,
    async call(client) {
      const created = await client.create(panWithOurOtp)
      return created.kind === 'result' ? client.check(tokenOf(created.result)) : created
    },
  })
  await pause(1000)
  const from = performance.now()
  await work()
  const to = performance.now()
  end.abort()
  await load.ended
  const failed = load.calls.find(({ outcome }) => outcome.kind !== 'result')
  if (failed !== undefined) throw new Error(`a call failed: ${JSON.stringify(failed.outcome)}`)
  return { seconds: (to - from) / 1000, p99Ms: p99Ms(callsBetween(load, { from, to })) }
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
const callsPerSecond = 40
