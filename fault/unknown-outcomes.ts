import { isVerified, openApiClient, type ApiClient, type ApiClientOptions } from './api-client.ts'
import { cardCalls, type CardCall, type CardRecord, type Ledger } from './ledger.ts'
import { testOtp } from './load.ts'
import type { ServiceData } from './service-data.ts'
import { countCards } from './statement.ts'

/**
 * Finds out which calls of unknown outcome had in truth happened, on a service without a fault. Every card in the database that no caller knows was created
 * by one of them.
 */
export async function resolveUnknownOutcomes(
  start: ApiClientOptions,
  serviceData: ServiceData,
  { cards, outcomes }: Ledger,
): Promise<void> {
  outcomes.createdUnseen = Math.max(0, (await countCards(serviceData)) - cards.length)
  const open = cards.flatMap((card) => cardCalls.filter((call) => card[call] === 'unknown').map((call) => ({ card, call })))
  if (open.length === 0) return
  const client = await openApiClient(start)
  for (const { card, call } of open) {
    outcomes.calls += 1
    if (await hadHappened(client, card, call)) outcomes.happened += 1
    // It may have happened or not, for what is compared afterwards.
    card[call] = 'sent'
  }
  client.close()
}

async function hadHappened(client: ApiClient, card: CardRecord, call: CardCall): Promise<boolean> {
  if (call === 'code') {
    card.verify = 'sent'
    const submitted = await client.verify(card.token, testOtp)
    return submitted.kind === 'result' && isVerified(submitted.result)
  }
  const checked = await client.check(card.token)
  if (call === 'verify') return checked.kind === 'result' && isVerified(checked.result)
  return checked.kind === 'refused' && checked.reason === 'card_deleted'
}

/** For a report: how many outcomes were unknown, and how many of these calls had in truth happened. */
export function outcomeMetrics(ledgers: readonly Pick<Ledger, 'outcomes'>[]): Record<string, number> {
  const sum = (read: (outcomes: Ledger['outcomes']) => number): number => ledgers.reduce((total, { outcomes }) => total + read(outcomes), 0)
  return {
    unknown_outcomes: sum(({ creations, calls }) => creations + calls),
    unknown_that_had_happened: sum(({ createdUnseen, happened }) => createdUnseen + happened),
  }
}
