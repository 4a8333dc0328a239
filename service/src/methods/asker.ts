import type { Asker } from '../cards/asker.ts'

import type { Call } from './method.ts'

/** What the nouns need to know of a call. */
export function askerOf({ caller: { merchantId, bucket }, requestId, signal }: Call): Asker {
  return { merchantId, bucket, requestId, signal }
}
