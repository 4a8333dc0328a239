import { bucketOf, issueRandomId } from '@tessera/vault/id'

import { createApp } from '../service/src/app.ts'
import { noteFilesClosed } from '../service/src/app/database-files.ts'
import { chooseAdapters } from '../service/src/app/production-checks.ts'
import { createCard } from '../service/src/domain/cards/create.ts'
import { readConfig } from '../service/src/ops/config/config.ts'
import { makeLog } from '../service/src/ops/logging/log.ts'
import { makeMetrics } from '../service/src/ops/metrics/metrics.ts'
import { StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../service/src/store/store.ts'
import { makeSystemClock } from '../service/src/system-clock.ts'

import { makeRandom } from './random.ts'
import { drawSeededPan } from './seeded-pans.ts'
import type { ServiceData } from './service-data.ts'
import { startService } from './spawn.ts'

export interface CardFill {
  readonly count: number
  /** Settings of the service that fills, as flags. */
  readonly flags?: readonly string[]
  readonly say?: (text: string) => void
}

/**
 * Creates so many cards of the demo merchant in the data of a service that is stopped, with seals, MACs, consents and audit entries like those of the API,
 * by the application in this process: without HTTP, several times as fast. The merchant's first start creates the data.
 */
export async function fillCards(serviceData: ServiceData, { count, flags = [], say = () => undefined }: CardFill): Promise<void> {
  const { config } = readConfig([...serviceData.flags, ...flags], {})
  const first = await startService({ flags: serviceData.flags })
  const [merchantId = ''] = first.xAuth.split(':')
  await first.stop()
  const clock = makeSystemClock()
  const stopping = new AbortController()
  const metrics = makeMetrics(clock)
  const app = await createApp(config, chooseAdapters(config), {
    clock,
    log: makeLog('error', { write: (line) => void process.stderr.write(line) }, clock.now),
    metrics,
    stopping: stopping.signal,
    endNow: (_exit, _event, err) => {
      throw err
    },
  })
  const startedAt = performance.now()
  let left = count
  const random = makeRandom(count)
  const context = makeContext(merchantId, stopping.signal)
  const fill = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      if (left % progressCards === 0) say(`${String(count - left)} cards in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
      await createOne(() => createCard(app.services.cards, makeInput(drawSeededPan(random)), { ...context, requestId: issueRandomId(12) }))
    }
  }
  try {
    await Promise.all(Array.from({ length: cardsAtOnce }, fill))
  } finally {
    await app.stop()
    metrics.close()
    // As a stop of the service does. A start would read a million cards in full, for a minute on a busy machine.
    noteFilesClosed(config.dataFolder)
  }
}

/** A store that is busy for a moment, as it is on a busy machine, does not end a fill of half an hour. After an unknown outcome there may be one card more. */
async function createOne(create: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await create()
      return
    } catch (err) {
      const isBusy = err instanceof StoreUnavailable || err instanceof StoreOverloaded || err instanceof StoreOutcomeUnknown
      if (!isBusy || attempt === maxAttempts) throw err
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  }
}

function makeInput(pan: string) {
  return {
    number: new Uint8Array(Buffer.from(pan, 'latin1')),
    expire: '0399',
    save: true,
    customer: null,
    account: null,
    consent: null,
    checkLimits: () => Promise.resolve(),
    useFormSession: () => Promise.resolve(null),
  }
}

function makeContext(merchantId: string, signal: AbortSignal) {
  const bucket = bucketOf(merchantId)
  return {
    caller: { merchantId, bucket, kind: 'server' },
    merchantId,
    bucket,
    actor: `merchant:${merchantId}`,
    profile: 'spec',
    language: 'en',
    address: '127.0.0.1',
    origin: null,
    cardNumber: null,
    signal,
    idempotency: null,
  } as const
}

const cardsAtOnce = 256
const maxAttempts = 60
const progressCards = 100_000
