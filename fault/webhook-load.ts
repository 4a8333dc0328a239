import { setTimeout as pause } from 'node:timers/promises'
import { openApiClient, tokenOf, type ApiClient, type ApiClientOptions, type CallOutcome } from './api-client.ts'
import type { OutageReceiver } from './outage-receiver.ts'
import { dataFolderOf } from './inspect.ts'
import { panWithNetworkOtp } from './load.ts'
import type { ServiceData } from './service-data.ts'
import { runCommandHere } from './command-in-process.ts'
import type { RunningService } from './spawn.ts'

/** Creates cards over several connections, and returns their tokens. Throws when a call fails. */
export async function createCards(merchant: ApiClientOptions, count: number): Promise<string[]> {
  const tokens: string[] = []
  let started = 0
  await onConnections(merchant, async (client) => {
    while (started++ < count) tokens.push(await createLoadCard(client))
  })
  return tokens
}

/** Removes cards as fast as they can be, each of which is an event; adds the tokens. */
export async function removeAtOnce(merchant: ApiClientOptions, tokens: readonly string[], removed: string[]): Promise<void> {
  const left = [...tokens]
  await onConnections(merchant, async (client) => {
    for (let token = left.pop(); token !== undefined; token = left.pop()) {
      expectResult(await client.remove(token))
      removed.push(token)
    }
  })
}

async function onConnections(merchant: ApiClientOptions, work: (client: ApiClient) => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = await openApiClient(merchant)
      await work(client).finally(() => client.close())
    }),
  )
}

export async function createLoadCard(client: ApiClient): Promise<string> {
  return tokenOf(expectResult(await client.create(panWithNetworkOtp)))
}

export function expectResult(outcome: CallOutcome): Readonly<Record<string, unknown>> {
  if (outcome.kind !== 'result') throw new Error(`a call of the load failed: ${JSON.stringify(outcome)}`)
  return outcome.result
}

/** Of the demo merchant, or of another one. */
export async function addEndpoint(serviceData: ServiceData, { url }: OutageReceiver, merchantId?: string): Promise<void> {
  const merchant = merchantId === undefined ? [] : [`--merchant=${merchantId}`]
  const added = await runCommandHere(['webhooks', 'add', `--url=${url}`, ...merchant, `--data=${dataFolderOf(serviceData)}`])
  if (added.code !== 0) throw new Error(`the endpoint could not be added: ${added.out}`)
}

/** Merchants with four endpoints each. */
export async function addHangingMerchants(
  { url }: RunningService,
  serviceData: ServiceData,
  receivers: readonly OutageReceiver[],
): Promise<ApiClientOptions[]> {
  const merchants: ApiClientOptions[] = []
  for (let at = 0; at < receivers.length; at += endpointsEach) {
    const created = await runCommandHere(['merchants', 'create', `--name=Hangs ${at}`, '--json', `--data=${dataFolderOf(serviceData)}`])
    const { merchantId, password } = JSON.parse(created.out) as { merchantId: string; password: string }
    for (const receiver of receivers.slice(at, at + endpointsEach)) await addEndpoint(serviceData, receiver, merchantId)
    merchants.push({ url, xAuth: `${merchantId}:${password}` })
  }
  return merchants
}

export async function waitForEvents(receiver: OutageReceiver, cardIds: ReadonlySet<string>, maxMs: number): Promise<void> {
  const endsAt = performance.now() + maxMs
  while (countNotArrived(receiver, cardIds) > 0 && performance.now() < endsAt) await pause(50)
}

export function countNotArrived({ arrivals }: OutageReceiver, cardIds: ReadonlySet<string>): number {
  const arrived = new Set([...arrivals.values()].map(({ cardId }) => cardId))
  return [...cardIds].filter((cardId) => !arrived.has(cardId)).length
}

/** A token begins with the id of its card. */
export function cardIdOfToken(token: string): string {
  return token.slice(0, 24)
}

export const connections = 16
const endpointsEach = 4
