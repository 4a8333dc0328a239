import { holdsCardNumber } from '@tessera/contract/card-number-detector'
import type { ErrorBody } from '@tessera/contract/errors'
import type { DashboardOperationName, Params, Result } from '@tessera/contract/operations'

import { askForConfirmation } from './confirmation.ts'
import { language } from './language.ts'
import { csrfToken, expireSession, noteSessionCall } from './session-state.ts'

/** An error response of the service, or the lack of a response. `body.reason` names the cause; `ErrorMessage` shows it. */
export class DashboardCallError extends Error {
  readonly body: ErrorBody

  constructor(body: ErrorBody) {
    super(body.message)
    this.name = 'DashboardCallError'
    this.body = body
  }
}

/**
 * Calls a method of the service. Throws `DashboardCallError` for every error response, and with reason `no_connection` when there is no response within a
 * minute. When the service asks for a confirmation, a dialog opens, and the call is repeated after it. When the service no longer knows the session, the user is signed out. A card number that somebody typed is never sent: reason
 * `card_number_typed`.
 */
export async function call<M extends DashboardOperationName>(
  method: M,
  params: Params<M>,
  { signal }: DashboardCallOptions = {},
): Promise<Result<M>> {
  if (holdsCardNumber(params)) throw new DashboardCallError({ code: 0, message: '', reason: 'card_number_typed' })
  const request = { jsonrpc: '2.0', id: 1, method, params }
  let response = await post(request, signal)
  if (response.error?.reason === 'confirmation_required' && (await askForConfirmation())) response = await post(request, signal)
  if (response.error === undefined) {
    noteSessionCall()
    return response.result as Result<M>
  }
  if (response.error.reason === 'signed_out') expireSession()
  throw new DashboardCallError(response.error)
}

export interface DashboardCallOptions {
  /** Aborts the call, which then throws as if there were no connection. */
  readonly signal?: AbortSignal
}

/** Wraps anything thrown that is not an error response, so that it can be shown like one. */
export function toCallError(err: unknown): DashboardCallError {
  return err instanceof DashboardCallError ? err : new DashboardCallError({ code: 0, message: '', reason: 'unexpected' })
}

interface RpcResponse {
  readonly result?: unknown
  readonly error?: ErrorBody
}

async function post(body: object, signal?: AbortSignal): Promise<RpcResponse> {
  const timeout = AbortSignal.timeout(callTimeoutMs)
  try {
    const response = await fetch('/dashboard/api', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-language': language.value, 'x-tessera-csrf': csrfToken.value },
      body: JSON.stringify(body),
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    })
    return (await response.json()) as RpcResponse
  } catch {
    return { error: { code: 0, message: '', reason: 'no_connection' } }
  }
}

/** Longer than anything the service does for one call, such as a page check. */
const callTimeoutMs = 60_000
