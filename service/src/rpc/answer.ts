import { readLanguage, type Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'
import { isMethodName, type MethodName, type Result } from '@tessera/contract/methods'
import type { CardRoute } from '@tessera/contract/route'

import type { Call, CallerIdentity, Grid, Row, Visitor } from '../methods/method.ts'
import { answerInTurn, type BatchEnd } from './batch.ts'
import type { NoteCall } from './answered.ts'
import { makeApiGate, type ApiGateParts } from './api-gate.ts'
import type { Claim } from './caller.ts'
import type { ReadCall } from './call-reader.ts'
import { isEarlier, isPlainName, throwFault, type Fault } from './fault.ts'
import type { Gate } from './gate.ts'
import type { Idempotency, IdempotencyHeader } from './idempotency.ts'
import type { Journal } from './journal.ts'
import type { CoarseLimits } from './limits.ts'
import { makePanScan } from './pan-scan.ts'
import { makeReadParams, type ReadParams } from './params.ts'
import { readCalls } from './read-calls.ts'
import { replyWithError, replyWithResult, toRpcError } from './reply.ts'
import type { HttpReply, HttpRequest } from './request.ts'

/** Answers one HTTP request to the API: one call or a batch. Never rejects. */
export type Answer = (request: HttpRequest) => Promise<HttpReply>

export interface RoadParts extends BatchEnd {
  readonly grid: Grid
  readonly limits: CoarseLimits
  readonly idempotency: Idempotency
  /** Prefixes under which a number out of place is a card number. */
  readonly routes: readonly CardRoute[]
  readonly journal: Journal
  /** For the merchant's request log; where it is left out, none is kept. */
  readonly note?: NoteCall
  /** What the wire says of an error that is none of its own, a store's for instance; null: nobody foresaw it. */
  readonly translate: (err: unknown) => RpcError | null
  /** A new id of a request, 24 hex digits. */
  readonly issueRequestId: () => string
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
  /** Aborted when the service stops waiting for its calls. */
  readonly signal: AbortSignal
}

export type AnswerParts = RoadParts & ApiGateParts

/** The road of the API: callers show X-Auth. */
export function makeAnswer(parts: AnswerParts): Answer {
  return makeRoad(parts, makeApiGate(parts))
}

/** The road of every request: its stages stand in `answerCall` in the order of wire §3, and each throws what it refuses with. */
export function makeRoad(parts: RoadParts, gate: Gate): Answer {
  const scan = makePanScan(parts.routes)
  const door: Door = { ...parts, gate, readParams: makeReadParams() }
  return (request) => {
    const { xAuth, origin, isFromBrowser, idempotencyKey, address, body, visitor } = request
    const profile = request.segment === null ? 'subscribe' : 'spec'
    const language = readLanguage(request.acceptLanguage)
    const asked: Asked = { xAuth, origin, isFromBrowser, idempotencyKey, address, profile, language, bytes: body.length, visitor }
    const read = readCalls(request, scan)
    return read.kind === 'call' ? answerCall(read.call, asked, door) : answerBatch(read.calls, asked, door)
  }
}

async function answerCall(call: ReadCall, asked: Asked, door: Door): Promise<HttpReply> {
  const requestId = door.issueRequestId()
  const startedAt = door.now()
  const method = call.method !== null && isMethodName(call.method) && door.gate.offers(call.method) ? call.method : null
  let merchantId: string | null = null
  let known: CallerIdentity | null = null
  let result: unknown = null
  let error: RpcError | null = null
  try {
    const requestFault = requestFaultOf(call, method, asked, door)
    if (requestFault !== null) throwFault(requestFault)
    if (method === null) throw methodNotFound(call.method)
    const row = door.grid[method]
    const caller = await door.gate.admit(row, asked, method)
    merchantId = caller.merchantId
    known = merchantId === null ? null : caller.identity
    if (caller.fault !== null) throwFault(caller.fault)
    door.limits.take({
      class: row.limits,
      address: asked.address,
      merchantId,
      as: caller.identity.as,
      limits: caller.identity.limits ?? null,
    })
    result = await run(method, call, { asked, door, requestId, caller: caller.identity })
    return replyWithResult(call.id, result, requestId)
  } catch (err) {
    error = toRpcError(err, door.translate, requestId)
    if (error.cause !== undefined) door.journal.failed({ requestId, method, error: error.entry, cause: error.cause })
    return replyWithError(call.id, error, { profile: asked.profile, language: asked.language, origin: method, requestId })
  } finally {
    call.cardNumber?.fill(0)
    const { profile, bytes, origin } = asked
    const ms = door.now() - startedAt
    const hasCardNumber = call.cardNumber !== null
    const entry = {
      requestId,
      method,
      profile,
      merchantId,
      as: known?.as ?? null,
      origin,
      hasCardNumber,
      error: error?.entry ?? null,
      bytes,
    }
    door.journal.called({ ...entry, ms })
    door.note?.({ requestId, method, profile, caller: known, xAuth: asked.xAuth, params: call.params, result, error, ms, bytes })
  }
}

/** A key that is none is refused where it would count, and nowhere else. */
function requestFaultOf({ requestFault }: ReadCall, method: MethodName | null, { idempotencyKey }: Asked, { grid }: Door): Fault | null {
  const isRefused = idempotencyKey === 'invalid' && method !== null && grid[method].mutates
  return isRefused && isEarlier('idempotencyKeyInvalid', requestFault) ? { entry: 'idempotencyKeyInvalid' } : requestFault
}

/** Params, idempotency, then the method itself: fine limits and the noun's rules are inside. */
function run<M extends MethodName>(method: M, read: ReadCall, { asked, door, requestId, caller }: Known): Promise<Result<M>> {
  const params = door.readParams(method, read)
  const row: Row<M> = door.grid[method]
  const { profile, language, address, origin, idempotencyKey } = asked
  const { cardNumber } = read
  const call: Call = {
    caller,
    profile,
    language,
    requestId,
    address,
    origin,
    cardNumber,
    signal: door.signal,
    idempotency: null,
    ...(asked.visitor === undefined ? {} : { visitor: asked.visitor }),
  }
  if (!row.mutates || idempotencyKey === null || idempotencyKey === 'invalid') return row.run(params, call)
  row.check?.(params, call)
  const { settle } = row
  return door.idempotency.once<Result<M>>(
    { ...{ key: idempotencyKey.key, caller, profile, method, cardNumber, requestId, signal: door.signal }, params: read.params },
    {
      run: (idempotency) => row.run(params, { ...call, idempotency }),
      settle: settle === undefined ? null : (settling) => settle(settling, params, call),
    },
  )
}

async function answerBatch(calls: readonly ReadCall[], asked: Asked, door: Door): Promise<HttpReply> {
  const replies = await answerInTurn(calls, door, (call) => answerCall(call, asked, door))
  const requestId = replies.map((reply) => reply.requestId).join(', ')
  return { status: 200, retryAfterSeconds: null, requestId, text: `[${replies.map(({ text }) => text).join(',')}]` }
}

/** `data` repeats the method, unless it might be a secret that stands in its place. */
function methodNotFound(method: string | null): RpcError {
  return new RpcError('methodNotFound', method !== null && isPlainName(method) ? { data: method } : {})
}

type Door = RoadParts & { readonly gate: Gate; readonly readParams: ReadParams }

/** What all calls of one request have in common. */
export interface Asked extends Claim {
  readonly language: Language
  readonly idempotencyKey: IdempotencyHeader
  readonly address: string
  readonly bytes: number
  readonly visitor: Visitor | undefined
}

interface Known {
  readonly asked: Asked
  readonly door: Door
  readonly requestId: string
  readonly caller: CallerIdentity
}
