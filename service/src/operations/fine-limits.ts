import { RpcError } from '@tessera/contract/errors'
import type { OperationName } from '@tessera/contract/operations'
import { parseToken } from '@tessera/vault/token'

import type { RequestContext } from '../domain/request-context.ts'

import type { BoundOperation } from './operation.ts'

/**
 * Runs an operation under the limits that its contract names: the token is counted, and the failure breaker watches how it ends. Throws `tokenShape`,
 * `tokenLimit` or `failureLimit`. PANs are counted by cards.create, which reads them.
 */
export async function withFineLimits<T>(
  { operation: { contract }, params, app: { limits } }: BoundOperation<OperationName>,
  { merchantId }: RequestContext,
  run: () => Promise<T>,
): Promise<T> {
  if (contract.countsToken === true) limits.fine.takeToken(tokenIn(params), merchantId)
  return contract.watchesFailures === true ? limits.failures.watch(merchantId, run) : run()
}

/** Throws `tokenShape` when a token does not have the shape of one. Whether it belongs to a card is decided later. */
export function expectTokenShape({ token }: { readonly token: string }): void {
  const read = parseToken(token)
  if (read === null) throw new RpcError('tokenShape', { data: 'token' })
  read.secret?.fill(0)
}

function tokenIn(params: object): string {
  const { token } = params as { readonly token: string }
  expectTokenShape({ token })
  return token
}
