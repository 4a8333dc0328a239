import type { DashboardMethodName, Params, Result } from '@tessera/contract/methods'
import type { ErrorBody } from '@tessera/contract/errors'

import { language } from './language.ts'
import { csrf, endSession } from './session-state.ts'

/** The service said no: `body.reason` names the cause, and the part `Refusal` shows it. */
export class Refused extends Error {
  readonly body: ErrorBody

  constructor(body: ErrorBody) {
    super(body.message)
    this.name = 'Refused'
    this.body = body
  }
}

/** Asks one method of the service. Throws `Refused` for every error, `no_connection` where nothing came back in a minute. A session that is over ends here. */
export async function call<M extends DashboardMethodName>(method: M, params: Params<M>): Promise<Result<M>> {
  const reply = await post({ jsonrpc: '2.0', id: 1, method, params })
  if (reply.error === undefined) return reply.result as Result<M>
  if (reply.error.reason === 'signed_out') endSession()
  throw new Refused(reply.error)
}

interface Reply {
  readonly result?: unknown
  readonly error?: ErrorBody
}

async function post(body: object): Promise<Reply> {
  try {
    const reply = await fetch('/dashboard/api', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-language': language.value, 'x-tessera-csrf': csrf.value },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerMs),
    })
    return (await reply.json()) as Reply
  } catch {
    return { error: { code: 0, message: '', reason: 'no_connection' } }
  }
}

/** Longer than anything that the service does for one call, such as the check of a page. */
const answerMs = 60_000
