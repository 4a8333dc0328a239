import { RpcError } from '@tessera/contract/errors'

import type { Asker } from '../cards/asker.ts'
import type { Rider } from '../idempotency/rider.ts'

import type { Call } from './method.ts'

/** What the nouns need to know of a call. `render` tells what a deed comes to, as the caller is answered; null where nothing is kept. */
export function askerOf<T = never>(call: Call, render: ((outcome: T) => object) | null = null): Asker<T> {
  const { caller, requestId, signal } = call
  const rider = render === null ? null : riderOf(call, render)
  const user = caller.user === undefined ? {} : { userId: caller.user.userId }
  return { merchantId: caller.merchantId, bucket: caller.bucket, requestId, signal, rider, ...user }
}

function riderOf<T>({ idempotency }: Call, render: (outcome: T) => object): Rider<T> | null {
  if (idempotency === null) return null
  return {
    claim: idempotency.claim,
    answer: (outcome) => idempotency.answer(outcome instanceof RpcError ? outcome : render(outcome)),
  }
}
