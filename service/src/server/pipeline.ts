import { makeCardNumberDetector } from '@tessera/contract/card-number-detector'
import { isPlainName, readLanguage, type Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'
import { isOperationName, type OperationName, type Result } from '@tessera/contract/operations'
import type { CardRoute } from '@tessera/contract/route'

import { whenDone, type Awaitable } from '../awaitable.ts'
import type { Idempotency } from '../domain/idempotency/idempotency.ts'
import type { CallerIdentity, DashboardBrowser, OperatorTerminal, RequestContext } from '../domain/request-context.ts'
import type { AppServices } from '../operations/app-services.ts'
import {
  findOperationByName,
  reconcilerOf,
  renderingHandle,
  runOperation,
  withFineLimits,
  type BoundOperation,
  type OperationRegistry,
  type OperationRules,
} from '../operations/operation.ts'

import type { Authenticator, CallerAuthentication, RequestCredentials } from './auth/authenticator.ts'
import { makeXAuthAuthenticator, type XAuthOptions } from './auth/x-auth-authenticator.ts'
import { handleSequentially, type BatchDeadline } from './batch.ts'
import type { CallObserver, RecordCall } from './call-observer.ts'
import type { HttpReply, HttpRequest, IdempotencyHeader } from './http/request.ts'
import { ownLength, type BodyPart } from './http/shared-body.ts'
import type { CoarseLimits } from './rate-limits/coarse-limits.ts'
import type { WritePlace } from './rate-limits/commit-backlog.ts'
import { wipeCall, type ReadCall } from './reader/call-reader.ts'
import { isEarlier, throwFault } from './reader/fault.ts'
import { makeReadParams, type ReadParams } from './reader/params.ts'
import { readCalls } from './reader/read-calls.ts'
import { replyWithError, replyWithParts, replyWithResult, toRpcError } from './reply.ts'

/** Handles one HTTP request to the API: one call or a batch. Never throws or rejects. */
export type RequestHandler = (request: HttpRequest) => Awaitable<HttpReply>

export interface PipelineOptions extends BatchDeadline {
  readonly operations: OperationRegistry
  /** The domain services that operations run on. */
  readonly services: AppServices
  readonly limits: CoarseLimits
  readonly idempotency: Pick<Idempotency, 'once'>
  /** Card number prefixes, for detecting a card number in the wrong place. */
  readonly cardRoutes: readonly CardRoute[]
  readonly observer: CallObserver
  /** Writes the merchant's request log; without it there is none. */
  readonly recordCall?: RecordCall
  /** The API error for an error of a dependency such as the store; null for an unexpected one. */
  readonly translateError: (err: unknown) => RpcError | null
  /** Runs the operation of a call that changes something, so that a failure of the store after its first write is reported as an unknown outcome. */
  readonly callWrites?: { run<T>(requestId: string, operation: () => Promise<T>, admission: WriteAdmission): Promise<T> }
  /** A new request id, 24 hex digits. */
  readonly issueRequestId: () => string
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Whether calls that change something are refused, because the store has too much to write. */
  readonly isWriteShed?: () => boolean
  /** Whether those of one owner are refused, because the store has too much to write for it. */
  readonly isWriteShareTaken?: (owner: string) => boolean
  /** Takes the place of a call that changes something in the queue before the store; null: it is refused, for one of both reasons. */
  readonly takeWritePlace?: (owner: string) => WritePlace | null
  /** Aborted when the service stops waiting for calls in progress. */
  readonly signal: AbortSignal
}

/** As what the writes of a call count in the queue before the store. */
export interface WriteAdmission {
  readonly owner: string
  /** Null: the call was admitted without one. */
  readonly place: WritePlace | null
}

export type ApiPipelineOptions = PipelineOptions & XAuthOptions

/** The pipeline of the API: callers authenticate by X-Auth. */
export function createApiPipeline(options: ApiPipelineOptions): RequestHandler {
  return createPipeline(options, makeXAuthAuthenticator(options))
}

/** The pipeline of one endpoint: reads a request and handles its calls. */
export function createPipeline(options: PipelineOptions, authenticator: Authenticator): RequestHandler {
  const detector = makeCardNumberDetector(options.cardRoutes)
  const pipeline: Pipeline = { ...options, authenticator, readParams: makeReadParams() }
  return (request) => {
    const bytes = request.body.length
    const read = readCalls(request, detector)
    if (read.kind === 'call') return handleCall(read.call, toSharedRequest(request, bytes, request.headReadAt ?? null), pipeline)
    return handleBatch(read.calls, toSharedRequest(request, bytes, null), pipeline)
  }
}

function handleCall(read: ReadCall, request: SharedRequest, pipeline: Pipeline): Awaitable<HttpReply> {
  const call = beginCall(read, request, pipeline)
  let result: Awaitable<unknown>
  try {
    result = runSteps(call, pipeline)
  } catch (err) {
    return finishCall(call, pipeline, () => replyWithFailure(call, err, pipeline))
  }
  if (!(result instanceof Promise)) return finishWithResult(call, result, pipeline)
  return result.then(
    (value: unknown) => finishWithResult(call, value, pipeline),
    (err: unknown) => finishCall(call, pipeline, () => replyWithFailure(call, err, pipeline)),
  )
}

function finishWithResult(call: Call, result: unknown, pipeline: Pipeline): HttpReply {
  return finishCall(call, pipeline, () => {
    call.result = result
    try {
      const reply = replyWithResult(call.read.id, result, call.requestId)
      return isCompressible(call, pipeline) ? { ...reply, isCompressible: true } : reply
    } catch (err) {
      return replyWithFailure(call, err, pipeline)
    }
  })
}

function isCompressible({ method }: Call, { operations }: Pipeline): boolean {
  return method !== null && operations[method].contract.isCompressible === true
}

/** Makes the reply, gives the place before the store back, wipes the call and reports it, whatever happens. */
function finishCall(call: Call, pipeline: Pipeline, reply: () => HttpReply): HttpReply {
  try {
    return reply()
  } finally {
    call.writePlace?.release()
    wipeCall(call.read)
    reportCall(call, pipeline)
  }
}

/** The steps of every call, in the order of docs/reference/wire.md#envelope. A step that refuses the call throws its error. */
function runSteps(call: Call, pipeline: Pipeline): Awaitable<unknown> {
  checkEnvelope(call, pipeline)
  const contract = findContract(call, pipeline)
  if (contract.mutates && isShed(call, pipeline)) throw new RpcError('overloaded')
  return whenDone(pipeline.authenticator.authenticate(contract, call.request), (known) => runIdentified(call, contract, known, pipeline))
}

/** The steps that need to know the caller. */
function runIdentified(call: Call, contract: OperationRules, known: CallerAuthentication, pipeline: Pipeline): Awaitable<unknown> {
  const caller = acceptCaller(call, known)
  const owner = contract.mutates ? writeOwnerOf(caller) : null
  if (owner !== null) takeWritePlace(call, owner, pipeline)
  checkCoarseLimits(call, contract, caller, pipeline)
  const bound = validateParams(call, contract.name, caller, pipeline)
  const run = (): Awaitable<unknown> =>
    withIdempotency(bound, createRequestContext(call, caller, pipeline), call, pipeline, (ctx) =>
      withFineLimits(bound, ctx, () => runOperation(bound, ctx)),
    )
  if (owner === null || pipeline.callWrites === undefined) return run()
  return pipeline.callWrites.run(call.requestId, async () => run(), { owner, place: call.writePlace })
}

/** Handles the calls of a batch one after the other. */
async function handleBatch(calls: readonly ReadCall[], request: SharedRequest, pipeline: Pipeline): Promise<HttpReply> {
  let bytes = 0
  const parts: BodyPart[] = []
  const hasRoomAfter = (reply: HttpReply): boolean => {
    const own = reply.parts ?? [reply.text]
    parts.push(parts.length === 0 ? '[' : ',', ...own)
    bytes += ownLength(own)
    return request.holdReply(bytes)
  }
  const replies = await handleSequentially(calls, pipeline, (call) => handleCall(call, request, pipeline), hasRoomAfter)
  const requestId = replies.map((reply) => reply.requestId).join(', ')
  parts.push(']')
  const texts = parts.filter((part) => typeof part === 'string')
  if (texts.length < parts.length) return replyWithParts(parts, requestId)
  return { status: 200, retryAfterSeconds: null, requestId, text: texts.join('') }
}

// The steps.

/** Throws the fault found while reading the request. An invalid Idempotency-Key is refused only where the operation would use it. */
function checkEnvelope({ read: { requestFault }, method, request }: Call, { operations }: Pipeline): void {
  const isKeyRefused = request.idempotencyKey === 'invalid' && method !== null && operations[method].contract.mutates
  if (isKeyRefused && isEarlier('idempotencyKeyInvalid', requestFault)) throw new RpcError('idempotencyKeyInvalid')
  if (requestFault !== null) throwFault(requestFault)
}

/** `data` repeats the method unless it might be a misplaced secret. */
function findContract({ read, method }: Call, { operations }: Pipeline): OperationRules {
  if (method !== null) return operations[method].contract
  throw new RpcError('methodNotFound', read.method !== null && isPlainName(read.method) ? { data: read.method } : {})
}

/** A caller that was identified is reported even if it is then refused. */
function acceptCaller(call: Call, { identity, merchantId, fault }: CallerAuthentication): CallerIdentity {
  call.caller = merchantId === null ? null : identity
  if (fault !== null) throwFault(fault)
  return identity
}

/**
 * Whether a call that changes something is refused for the time that writes wait, of all callers or of whom it claims to be from. It is not authenticated yet:
 * a flood should cost little. A session is known only afterwards, when the place is taken (`takeWritePlace`).
 */
function isShed({ request: { xAuth } }: Call, { isWriteShed, isWriteShareTaken }: Pipeline): boolean {
  if (isWriteShed?.() === true) return true
  if (xAuth === null || isWriteShareTaken === undefined) return false
  const idEnd = xAuth.indexOf(':')
  return isWriteShareTaken(idEnd < 0 ? `browser ${xAuth}` : `server ${xAuth.slice(0, idEnd)}`)
}

/**
 * Only with a known caller, and before anything counts the call: strangers who send a merchant's id must not take its places. Calls that were begun in the same
 * turn of the event loop have theirs by now, so it is decided again whether there is one.
 */
function takeWritePlace(call: Call, owner: string, pipeline: Pipeline): void {
  if (pipeline.takeWritePlace === undefined) return
  call.writePlace = pipeline.takeWritePlace(owner)
  if (call.writePlace === null) throw new RpcError('overloaded')
}

/** Who has a share of what waits for the store. A merchant's id is public, so strangers who call with it have another one than its server. */
function writeOwnerOf({ kind, merchantId }: CallerIdentity): string {
  return `${kind} ${merchantId}`
}

function checkCoarseLimits(call: Call, { limit }: OperationRules, { kind, limits }: CallerIdentity, pipeline: Pipeline): void {
  const merchantId = call.caller?.merchantId ?? null
  pipeline.limits.check({ class: limit, address: call.request.address, merchantId, callerKind: kind, limits: limits ?? null })
}

function validateParams<Name extends OperationName>(
  { read }: Call,
  name: Name,
  { referenceFields }: CallerIdentity,
  { operations, services, readParams }: Pipeline,
): BoundOperation<Name> {
  return { operation: findOperationByName(operations, name), params: readParams(name, read, referenceFields), app: services }
}

function createRequestContext({ requestId, read, request }: Call, caller: CallerIdentity, { signal }: Pipeline): RequestContext<unknown> {
  const { merchantId, bucket } = caller
  const { profile, language, address, origin, browser, terminal } = request
  const ctx: RequestContext<unknown> = {
    caller,
    merchantId,
    bucket,
    actor: actorOf(caller),
    requestId,
    profile,
    language,
    address,
    origin,
    cardNumber: read.cardNumber,
    signal,
    idempotency: null,
  }
  if (browser === undefined && terminal === undefined) return ctx
  return { ...ctx, ...(browser === undefined ? {} : { browser }), ...(terminal === undefined ? {} : { terminal }) }
}

function actorOf({ kind, merchantId, user }: CallerIdentity): string {
  if (kind === 'operator') return 'operator'
  return user === undefined ? `merchant:${merchantId}` : `user:${user.userId}`
}

/** Runs an operation once for its Idempotency-Key. Without a key, or where the operation changes nothing, it runs every time. */
function withIdempotency<Name extends OperationName>(
  bound: BoundOperation<Name>,
  ctx: RequestContext<unknown>,
  { read, request }: Call,
  { idempotency }: Pipeline,
  run: (ctx: RequestContext<unknown>) => Awaitable<Result<Name>>,
): Awaitable<Result<Name>> {
  const { operation, params, app } = bound
  const { idempotencyKey } = request
  if (!operation.contract.mutates || idempotencyKey === null || idempotencyKey === 'invalid') return run(ctx)
  operation.check?.(params, ctx, app)
  const { caller, profile, requestId, cardNumber, signal } = ctx
  const method = operation.contract.name
  return idempotency.once<Result<Name>>(
    { key: idempotencyKey.key, caller, profile, method, params: read.params, cardNumber, requestId, signal },
    {
      run: async (handle) => run({ ...ctx, idempotency: renderingHandle(handle, bound, ctx) }),
      reconcile: reconcilerOf(bound, ctx),
    },
  )
}

function replyWithFailure(call: Call, err: unknown, { translateError, observer }: Pipeline): HttpReply {
  const { requestId, method, request, read } = call
  const error = toRpcError(err, translateError, requestId)
  call.error = error
  if (error.cause !== undefined) observer.failed({ requestId, method, error: error.entry, cause: error.cause })
  return replyWithError(read.id, error, { profile: request.profile, language: request.language, origin: method, requestId })
}

function reportCall(call: Call, { observer, recordCall, now }: Pipeline): void {
  const { requestId, method, caller, read, result, error } = call
  const { profile, origin, xAuth, address, bytes } = call.request
  const endedAt = now()
  const ms = endedAt - call.startedAt
  observer.completed({
    requestId,
    method,
    profile,
    merchantId: caller?.merchantId ?? null,
    callerKind: caller?.kind ?? null,
    origin,
    hasCardNumber: read.cardNumber !== null,
    error: error?.entry ?? null,
    ms,
    sinceHeadMs: endedAt - (call.request.headReadAt ?? call.startedAt),
    bytes,
  })
  recordCall?.({ requestId, method, profile, caller, xAuth, address, params: read.params, result, error, ms, bytes })
}

// The state that the steps share.

interface Pipeline extends PipelineOptions {
  readonly authenticator: Authenticator
  readonly readParams: ReadParams
}

/** What all calls of one HTTP request have in common. */
interface SharedRequest extends RequestCredentials {
  readonly language: Language
  readonly idempotencyKey: IdempotencyHeader
  readonly address: string
  readonly bytes: number
  readonly browser: DashboardBrowser | undefined
  readonly holdReply: (bytes: number) => boolean
  /** When the head of a single call was read, by the clock of `now`. Null for a batch, whose calls wait for each other. */
  readonly headReadAt: number | null
  readonly terminal: OperatorTerminal | undefined
}

/** A call in progress, with what is known of it so far. */
interface Call {
  readonly requestId: string
  readonly startedAt: number
  readonly read: ReadCall
  readonly request: SharedRequest
  /** Null: the endpoint does not have this operation. */
  readonly method: OperationName | null
  /** Null until the caller is identified. */
  caller: CallerIdentity | null
  /** Its place in the queue before the store. */
  writePlace: WritePlace | null
  result: unknown
  error: RpcError | null
}

function toSharedRequest(request: HttpRequest, bytes: number, headReadAt: number | null): SharedRequest {
  const { xAuth, origin, isFromBrowser, idempotencyKey, address, browser, terminal, segment, acceptLanguage } = request
  const { holdReply = hasRoom } = request
  const profile = segment === null ? 'subscribe' : 'spec'
  const language = readLanguage(acceptLanguage)
  return { xAuth, origin, isFromBrowser, idempotencyKey, address, profile, language, bytes, browser, terminal, holdReply, headReadAt }
}

const hasRoom = (): boolean => true

function beginCall(read: ReadCall, request: SharedRequest, { authenticator, issueRequestId, now }: Pipeline): Call {
  const { method } = read
  const isKnown = method !== null && isOperationName(method) && authenticator.serves(method)
  return {
    requestId: issueRequestId(),
    startedAt: now(),
    read,
    request,
    method: isKnown ? method : null,
    caller: null,
    writePlace: null,
    result: null,
    error: null,
  }
}
