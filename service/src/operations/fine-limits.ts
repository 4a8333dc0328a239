import { RpcError } from '@tessera/contract/errors'
import type { OperationName } from '@tessera/contract/operations'
import { parseToken } from '@tessera/vault/token'

import type { RequestContext } from '../domain/request-context.ts'

import type { BoundOperation } from './operation.ts'

/**
 * Runs an operation under the limits that its contract names: counts the token, and reports the outcome to the failure breaker. Throws `tokenShape`,
 * `tokenLimit` or `failureLimit`. PANs are counted by cards.create, which reads them.
 */
export function withFineLimits<T>(
  { operation: { contract }, params, app: { limits } }: BoundOperation<OperationName>,
  { merchantId }: RequestContext,
  run: () => Promise<T>,
): Promise<T> {
  if (contract.countsToken === true) limits.fine.countToken(tokenIn(params), merchantId)
  return contract.watchesFailures === true ? limits.failures.watch(merchantId, run) : run()
}

/** Throws `tokenShape` for a malformed token. Whether it belongs to a card is decided later. */
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
