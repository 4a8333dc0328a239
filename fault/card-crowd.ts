import { isOutcomeUnknown, readCallOutcome } from './api-client.ts'
import { runCrowd, type ClientCrowd, type CrowdCounts } from './client-crowd.ts'
import type { Ledger } from './ledger.ts'
import { panWithOurOtp } from './load.ts'
import type { RunningService } from './spawn.ts'
import { percentile } from './statistics.ts'

/** Clients that want one card a second each. */
export interface CardCrowd extends Pick<RunningService, 'url' | 'xAuth'>, Pick<ClientCrowd, 'network' | 'isIrregular'> {
  readonly name: string
  readonly clients: number
  readonly ms: number
}

export interface CardCrowdResult extends CrowdCounts {
  readonly name: string
  readonly clients: number
  readonly created: number
  /** Cards created within a second of the call, per second. */
  readonly goodPerSecond: number
  /** Of the cards that were created. */
  readonly p99Ms: number
  readonly refused: number
}

/** Creates cards by many clients, and notes in the ledger what was acknowledged. */
export async function runCardCrowd(
  { url, xAuth, name, clients, ms, network, isIrregular = false }: CardCrowd,
  ledger: Ledger,
): Promise<CardCrowdResult> {
  const durations: number[] = []
  let refused = 0
  const { host } = new URL(url)
  const body = `{"id":1,"method":"cards.create","params":{"card":{"number":"${panWithOurOtp}","expire":"0399"},"save":true}}`
  const next = (): string =>
    `POST /api/cards.create HTTP/1.1\r\nhost: ${host}\r\nx-auth: ${xAuth}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const onReply = (reply: string, tookMs: number): void => {
    const token = /"token":"([^"]+)"/.exec(reply)?.[1]
    if (token === undefined) {
      refused++
      if (isOutcomeUnknown(readCallOutcome({ status: 503, head: '', body: reply }))) ledger.outcomes.creations++
    } else {
      durations.push(tookMs)
      ledger.addCard(token)
    }
  }
  const counts = await runCrowd({ url, clients, ms, isIrregular, next, onReply, ...(network === undefined ? {} : { network }) })
  ledger.outcomes.creations += counts.withoutReply
  const good = durations.filter((tookMs) => tookMs <= goodMs).length
  return {
    name,
    clients,
    ...counts,
    created: durations.length,
    goodPerSecond: good / (ms / 1000),
    p99Ms: percentile(durations, 0.99),
    refused,
  }
}

/** A reply after a second is worth nothing: its client has given up, or tries again. */
const goodMs = 1000
