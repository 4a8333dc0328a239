import assert from 'node:assert/strict'
import { RpcError } from '@tessera/contract/errors'
import { cardRoutes } from '@tessera/contract/route'

import type { Call, Grid } from '../methods/method.ts'
import { makeAnswer, type Answer, type AnswerParts } from './answer.ts'
import type { Authenticated, Authentic, Credentials } from './credentials.ts'
import type { CallEntry, CallFailure } from './journal.ts'
import { noLimits } from './limits.ts'
import { noThrottle } from './password-throttle.ts'
import type { HttpReply, HttpRequest } from './request.ts'

/** A door with nothing behind it: a grid that notes what it was called with, and merchants that stand in a list. */
export interface Rehearsal {
  readonly answer: Answer
  /** What the grid was called with, newest last; card numbers as text, read while the call had them. */
  readonly ran: { method: string; params: unknown; call: Call; pan: string | null }[]
  readonly called: CallEntry[]
  readonly failed: CallFailure[]
}

export const merchantId = '65f0c0ffee0000000000cafe'
export const blockedId = '65f0c0ffee00000000b10c0d'
export const strictId = '65f0c0ffee000000005741c7'
export const password = 'pass:word&@?#%$'
export const shopOrigin = 'https://pages.merchant.example'
export const requestIdOf = (n: number): string => n.toString(16).padStart(24, '0')

/** `run` answers every method; by default with what was asked. */
export function rehearse(parts: Partial<AnswerParts> = {}, run?: (method: string, call: Call) => unknown): Rehearsal {
  const ran: Rehearsal['ran'] = []
  const called: CallEntry[] = []
  const failed: CallFailure[] = []
  let requests = 0
  const row = (method: string, rest: object): object => ({
    ...rest,
    run: async (params: unknown, call: Call) => {
      ran.push({ method, params, call, pan: call.cardNumber === null ? null : Buffer.from(call.cardNumber).toString() })
      return run === undefined ? { method } : run(method, call)
    },
  })
  const answer = makeAnswer({
    grid: Object.fromEntries(Object.entries(rows).map(([method, rest]) => [method, row(method, rest)])) as unknown as Grid,
    credentials,
    origins: { isAnyWelcome: false, formOrigin: 'https://form.example' },
    limits: noLimits,
    passwords: noThrottle,
    idempotency: { once: async () => assert.fail('the door of this rehearsal keeps no keys') },
    routes: cardRoutes,
    journal: { called: (entry) => called.push(entry), failed: (failure) => failed.push(failure) },
    translate: () => null,
    issueRequestId: () => requestIdOf(++requests),
    now: () => 0,
    sleep: () => new Promise(() => undefined),
    stopping: new AbortController().signal,
    signal: new AbortController().signal,
    ...parts,
  })
  return { answer, ran, called, failed }
}

const rows = {
  'cards.create': { caller: 'browser', mutates: true, limits: 'create' },
  'cards.get_verify_code': { caller: 'browser', mutates: true, limits: 'verify' },
  'cards.verify': { caller: 'browser', mutates: true, limits: 'verify' },
  'cards.check': { caller: 'serverInSpec', mutates: false, limits: 'read' },
  'cards.remove': { caller: 'serverInSpec', mutates: true, limits: 'write' },
  'rpc.discover': { caller: 'nobody', mutates: false, limits: 'none' },
}

export const credentials: Credentials = {
  authenticate: async (xAuth): Promise<Authenticated> => {
    if (xAuth === null) return { kind: 'denied' }
    const [id = '', ...rest] = xAuth.split(':')
    const merchant = merchants.find((one) => one.merchantId === id)
    if (merchant === undefined) return { kind: 'unknownMerchant' }
    if (rest.length === 0) return { ...merchant, kind: 'browser' }
    return rest.join(':') === password ? { ...merchant, kind: 'server' } : { kind: 'denied' }
  },
}

const merchant = { bucket: 7, blocked: false, origins: [shopOrigin], strictServerAuth: false }
const merchants: Omit<Authentic, 'kind'>[] = [
  { ...merchant, merchantId },
  { ...merchant, merchantId: blockedId, blocked: true },
  { ...merchant, merchantId: strictId, strictServerAuth: true },
]

/** A request that is all right, but for what is said here. */
export function request(body: unknown, parts: Partial<HttpRequest> = {}): HttpRequest {
  return {
    refusal: null,
    segment: null,
    hasQuery: false,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    xAuth: merchantId,
    origin: null,
    isFromBrowser: false,
    idempotencyKey: null,
    acceptLanguage: undefined,
    address: '192.0.2.7',
    ...parts,
  }
}

/** The JSON of a reply. */
export function told(reply: HttpReply): Told {
  return JSON.parse(reply.text) as Told
}

export interface Told {
  readonly jsonrpc: string
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { code: number; message: string; data?: string; origin?: string; reason: string; retry_after?: number }
}

export const refusing = (entry: RpcError['entry']) => () => {
  throw new RpcError(entry)
}
