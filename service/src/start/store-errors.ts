import { RpcError } from '@tessera/contract/errors'

import { StoreFull, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../store/store.ts'

/** What the wire says when the store could not. */
export function storeError(err: unknown): RpcError | null {
  if (err instanceof StoreFull) return new RpcError('storeFull', { cause: err })
  if (err instanceof StoreOverloaded) return new RpcError('overloaded', { cause: err })
  if (err instanceof StoreUnavailable) return new RpcError('storeUnavailable', { cause: err })
  return err instanceof StoreOutcomeUnknown ? new RpcError('outcomeUnknown', { cause: err }) : null
}
