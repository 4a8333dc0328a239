import type { ServiceData } from './service-data.ts'
import { runCommand, type RunningService } from './spawn.ts'

/** How many cards whose lifetime is over the sweeper has worked off by a moment of performance.now(). */
export interface SweepSample {
  readonly at: number
  readonly swept: number
}

/** As its metrics say. */
export async function readSweptCards({ adminUrl }: Pick<RunningService, 'adminUrl'>): Promise<SweepSample> {
  const swept = await readMetric(adminUrl, /^tessera_cards_swept_total\{work="ended"\} ([0-9.e+]+)$/m)
  return { at: performance.now(), swept }
}

/** How many cards the process has resealed, as its metrics say. */
export function readResealedCards({ adminUrl }: Pick<RunningService, 'adminUrl'>): Promise<number> {
  return readMetric(adminUrl, /^tessera_cards_resealed_total ([0-9.e+]+)$/m)
}

async function readMetric(adminUrl: string, pattern: RegExp): Promise<number> {
  const text = await (await fetch(new URL('/metrics', adminUrl))).text()
  return Number(pattern.exec(text)?.[1])
}

/** The active data key of a merchant's cards. */
export async function findCardKey(serviceData: ServiceData, merchantId: string): Promise<string> {
  const { keys } = (await runJsonCommand(serviceData, ['keys', 'status'])) as {
    readonly keys: readonly { readonly keyId: string; readonly purpose: string; readonly owner: string }[]
  }
  const key = keys.find(({ purpose, owner }) => purpose === 'card' && owner === merchantId)
  if (key === undefined) throw new Error('the merchant has no card key')
  return key.keyId
}

/** The result of a command of `tessera`. Throws when it does not end with 0. */
export async function runJsonCommand({ flags }: ServiceData, words: readonly string[]): Promise<unknown> {
  const { code, out } = await runCommand([...words, '--json', ...flags.filter((flag) => flag.startsWith('--data='))])
  if (code !== 0) throw new Error(`tessera ${words.join(' ')} ended with ${String(code)}: ${out.slice(-500)}`)
  return JSON.parse(out.trim().split('\n').at(-1) ?? '')
}
