import { bucketOf, issueRandomId } from '@tessera/vault/id'

import { createCard, type CreatedCard } from '../service/src/domain/cards/create.ts'
import { StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../service/src/store/store.ts'

import { withAppInProcess } from './app-in-process.ts'
import { makeRandom } from './random.ts'
import { drawSeededPan } from './seeded-pans.ts'
import type { ServiceData } from './service-data.ts'

export interface CardFill {
  readonly count: number
  /** Settings of the service that fills, as flags. */
  readonly flags?: readonly string[]
  readonly say?: (text: string) => void
  /** The customer of a card, by its number in this fill; by default none. */
  readonly customerOf?: (n: number) => string | null
  /** Called with the token of each card, and its number in this fill. */
  readonly onCard?: (token: string, n: number) => void
}

/**
 * Creates so many cards of the demo merchant in the data of a service that is stopped, with seals, MACs, consents and audit entries like those of the API,
 * by the application in this process: without HTTP, several times as fast. The merchant's first start creates the data. Returns the cards a second.
 */
export async function fillCards(serviceData: ServiceData, fill: CardFill): Promise<number> {
  const { count, flags = [], say = () => undefined, customerOf = () => null, onCard = () => undefined } = fill
  const startedAt = performance.now()
  let left = count
  const random = makeRandom(count)
  await withAppInProcess(serviceData, flags, async (app, { merchantId, signal }) => {
    const context = makeContext(merchantId, signal)
    const createRest = async (): Promise<void> => {
      while (left > 0) {
        left -= 1
        const n = count - left
        if (left % progressCards === 0) say(`${String(n)} cards in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
        const input = makeInput(drawSeededPan(random), customerOf(n))
        const { token } = await createOne(() => createCard(app.services.cards, input, { ...context, requestId: issueRandomId(12) }))
        onCard(token, n)
      }
    }
    await Promise.all(Array.from({ length: cardsAtOnce }, createRest))
  })
  return (count / (performance.now() - startedAt)) * 1000
}

/** A store that is busy for a moment, as it is on a busy machine, does not end a fill of half an hour. After an unknown outcome there may be one card more. */
async function createOne(create: () => Promise<CreatedCard>): Promise<CreatedCard> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await create()
    } catch (err) {
      const isBusy = err instanceof StoreUnavailable || err instanceof StoreOverloaded || err instanceof StoreOutcomeUnknown
      if (!isBusy || attempt === maxAttempts) throw err
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  }
}

function makeInput(pan: string, customer: string | null) {
  return {
    number: new Uint8Array(Buffer.from(pan, 'latin1')),
    expire: '0399',
    save: true,
    customer,
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
