import assert from 'node:assert/strict'
import { RpcError } from '@tessera/contract/errors'
import { operations, publicOperations, type OperationName } from '@tessera/contract/operations'
import { cardRoutes } from '@tessera/contract/route'

import type { RequestContext } from '../domain/request-context.ts'
import type { ComposedServices } from '../app/services.ts'
import { noFailureBreaker } from '../domain/limits/failure-breaker.ts'
import { noFineLimits } from '../domain/limits/fine-limits.ts'
import type { OperationRegistry } from '../operations/operation.ts'
import { createApiPipeline, type RequestHandler, type ApiPipelineOptions } from '../server/pipeline.ts'
import type { CredentialCheck, KnownMerchant, CredentialStore } from '../server/auth/authenticator.ts'
import type { CallSummary, CallFailure } from '../server/call-observer.ts'
import { noCoarseLimits } from '../server/rate-limits/coarse-limits.ts'
import { noPasswordThrottle } from '../server/auth/password-throttle.ts'
import type { HttpReply, HttpRequest } from '../server/http/request.ts'

/** A pipeline with fakes behind it: operations that record what they were called with, and a list of merchants. */
export interface PipelineRun {
  readonly answer: RequestHandler
  /** The calls of operations, newest last; card numbers as text, copied during the call. */
  readonly ran: { method: string; params: unknown; ctx: RequestContext; pan: string | null }[]
  readonly called: CallSummary[]
  readonly failed: CallFailure[]
}

export const pipelineMerchantId = '65f0c0ffee0000000000cafe'
export const blockedId = '65f0c0ffee00000000b10c0d'
export const strictId = '65f0c0ffee000000005741c7'
export const password = 'pass:word&@?#%$'
export const shopOrigin = 'https://pages.merchant.example'
export const requestIdOf = (n: number): string => n.toString(16).padStart(24, '0')

/** `run` handles every method. Default: it returns its params. */
export function createTestPipeline(
  parts: Partial<ApiPipelineOptions> = {},
  run?: (method: string, ctx: RequestContext) => unknown,
): PipelineRun {
  const ran: PipelineRun['ran'] = []
  const called: CallSummary[] = []
  const failed: CallFailure[] = []
  let requests = 0
  const fake = (method: string) => ({
    contract: operations[method as OperationName],
    run: async (params: unknown, ctx: RequestContext) => {
      ran.push({ method, params, ctx, pan: ctx.cardNumber === null ? null : Buffer.from(ctx.cardNumber).toString() })
      return run === undefined ? { method } : run(method, ctx)
    },
  })
  const answer = createApiPipeline({
    operations: Object.fromEntries(Object.keys(publicOperations).map((method) => [method, fake(method)])) as unknown as OperationRegistry,
    services: { limits: { fine: noFineLimits, failures: noFailureBreaker } } as unknown as ComposedServices,
    credentials,
    origins: { isAnyAllowed: false, formOrigin: 'https://form.example' },
    limits: noCoarseLimits,
    passwords: noPasswordThrottle,
    idempotency: { once: async () => assert.fail('this pipeline keeps no idempotency keys') },
    cardRoutes: cardRoutes,
    observer: { completed: (entry) => called.push(entry), failed: (failure) => failed.push(failure) },
    translateError: () => null,
    issueRequestId: () => requestIdOf(++requests),
    now: () => 0,
    sleep: () => new Promise(() => undefined),
    stopping: new AbortController().signal,
    signal: new AbortController().signal,
    ...parts,
  })
  return { answer, ran, called, failed }
}

export const credentials: CredentialStore = {
  authenticate: async (xAuth): Promise<CredentialCheck> => {
    if (xAuth === null) return { kind: 'denied' }
    const [id = '', ...rest] = xAuth.split(':')
    const merchant = merchants.find((one) => one.merchantId === id)
    if (merchant === undefined) return { kind: 'unknownMerchant' }
    if (rest.length === 0) return { ...merchant, kind: 'browser' }
    return rest.join(':') === password ? { ...merchant, kind: 'server' } : { kind: 'denied' }
  },
}

const merchant = { bucket: 7, blocked: false, origins: [shopOrigin], strictServerAuth: false }
const merchants: Omit<KnownMerchant, 'kind'>[] = [
  { ...merchant, merchantId: pipelineMerchantId },
  { ...merchant, merchantId: blockedId, blocked: true },
  { ...merchant, merchantId: strictId, strictServerAuth: true },
]

/** A valid request with the given changes. */
export function request(body: unknown, parts: Partial<HttpRequest> = {}): HttpRequest {
  return {
    refusal: null,
    segment: null,
    hasQuery: false,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    xAuth: pipelineMerchantId,
    origin: null,
    isFromBrowser: false,
    idempotencyKey: null,
    acceptLanguage: undefined,
    address: '192.0.2.7',
    ...parts,
  }
}

/** The JSON of a reply. */
export function replyJson(reply: HttpReply): RpcReply {
  return JSON.parse(reply.text) as RpcReply
}

export interface RpcReply {
  readonly jsonrpc: string
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { code: number; message: string; data?: string; origin?: string; reason: string; retry_after?: number }
}

export const refusing = (entry: RpcError['entry']) => () => {
  throw new RpcError(entry)
}
