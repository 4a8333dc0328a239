import { readLanguage, type Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'
import { isMethodName, type MethodName, type Result } from '@tessera/contract/methods'
import type { CardRoute } from '@tessera/contract/route'

import type { CallerIdentity, Grid, Row } from '../methods/method.ts'
import { identify, type Claim, type OriginRule } from './caller.ts'
import type { ReadCall } from './call-reader.ts'
import type { Credentials } from './credentials.ts'
import { isPlainName, throwFault } from './fault.ts'
import type { Journal } from './journal.ts'
import type { CoarseLimits } from './limits.ts'
import { makePanScan } from './pan-scan.ts'
import { makeReadParams, type ReadParams } from './params.ts'
import { readCalls } from './read-calls.ts'
import { replyWithError, replyWithResult, toRpcError } from './reply.ts'
import type { HttpReply, HttpRequest } from './request.ts'

/** Answers one HTTP request to the API: one call or a batch. Never rejects. */
export type Answer = (request: HttpRequest) => Promise<HttpReply>

export interface AnswerParts {
  readonly grid: Grid
  readonly credentials: Credentials
  readonly origins: OriginRule
  readonly limits: CoarseLimits
  /** Prefixes under which a number out of place is a card number. */
  readonly routes: readonly CardRoute[]
  readonly journal: Journal
  /** What the wire says of an error that is none of its own, a store's for instance; null: nobody foresaw it. */
  readonly translate: (err: unknown) => RpcError | null
  /** A new id of a request, 24 hex digits. */
  readonly issueRequestId: () => string
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
  /** Aborted when the service stops waiting for its calls. */
  readonly signal: AbortSignal
}

/** The road of every request: its stages stand in `answerCall` in the order of wire §3, and each throws what it refuses with. */
export function makeAnswer(parts: AnswerParts): Answer {
  const scan = makePanScan(parts.routes)
  const door: Door = { ...parts, readParams: makeReadParams() }
  return (request) => {
    const { xAuth, origin, isFromBrowser, address, body } = request
    const profile = request.segment === null ? 'subscribe' : 'spec'
    const language = readLanguage(request.acceptLanguage)
    const asked: Asked = { xAuth, origin, isFromBrowser, address, profile, language, bytes: body.length }
    const read = readCalls(request, scan)
    return read.kind === 'call' ? answerCall(read.call, asked, door) : answerBatch(read.calls, asked, door)
  }
}

async function answerCall(call: ReadCall, asked: Asked, door: Door): Promise<HttpReply> {
  const requestId = door.issueRequestId()
  const startedAt = door.now()
  const method = call.method !== null && isMethodName(call.method) ? call.method : null
  let merchantId: string | null = null
  let error: RpcError | null = null
  try {
    if (call.requestFault !== null) throwFault(call.requestFault)
    if (method === null) throw methodNotFound(call.method)
    const row = door.grid[method]
    const shown = row.caller === 'nobody' ? null : await door.credentials.authenticate(asked.xAuth)
    const caller = identify(row.caller, asked, shown, door.origins)
    merchantId = caller.merchantId
    if (caller.fault !== null) throwFault(caller.fault)
    door.limits.take({ class: row.limits, address: asked.address, merchantId })
    const result = await run(method, call, { asked, door, requestId, caller: caller.identity })
    return replyWithResult(call.id, result)
  } catch (err) {
    error = toRpcError(err, door.translate, requestId)
    if (error.cause !== undefined) door.journal.failed({ requestId, method, error: error.entry, cause: error.cause })
    return replyWithError(call.id, error, { profile: asked.profile, language: asked.language, origin: method })
  } finally {
    call.cardNumber?.fill(0)
    const { profile, bytes } = asked
    door.journal.called({ requestId, method, profile, merchantId, error: error?.entry ?? null, ms: door.now() - startedAt, bytes })
  }
}

/** Params, then the method itself: idempotency, fine limits and the noun's rules are inside. */
function run<M extends MethodName>(method: M, call: ReadCall, { asked, door, requestId, caller }: Known): Promise<Result<M>> {
  const params = door.readParams(method, call)
  const row: Row<M> = door.grid[method]
  const { profile, language, address } = asked
  return row.run(params, { caller, profile, language, requestId, address, cardNumber: call.cardNumber, signal: door.signal })
}

/** One after the other, in their order, each on its own. */
async function answerBatch(calls: readonly ReadCall[], asked: Asked, door: Door): Promise<HttpReply> {
  const texts: string[] = []
  for (const call of calls) texts.push((await answerCall(call, asked, door)).text)
  return { status: 200, retryAfterSeconds: null, text: `[${texts.join(',')}]` }
}

/** `data` repeats the method, unless it might be a secret that stands in its place. */
function methodNotFound(method: string | null): RpcError {
  return new RpcError('methodNotFound', method !== null && isPlainName(method) ? { data: method } : {})
}

type Door = AnswerParts & { readonly readParams: ReadParams }

/** What all calls of one request have in common. */
interface Asked extends Claim {
  readonly language: Language
  readonly address: string
  readonly bytes: number
}

interface Known {
  readonly asked: Asked
  readonly door: Door
  readonly requestId: string
  readonly caller: CallerIdentity
}
