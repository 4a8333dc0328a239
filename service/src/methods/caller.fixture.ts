import type { Profile } from '@tessera/contract/envelope'
import { renderError, RpcError, type ErrorBody } from '@tessera/contract/errors'
import type { MethodName, Params, Result } from '@tessera/contract/methods'
import { bucketOf } from '@tessera/vault/id'

import { randomHex } from './drawn.fixture.ts'
import type { Call, Grid } from './method.ts'

/** A merchant's page and server in one: calls methods and tells what comes back as the wire would. */
export interface Caller {
  readonly merchantId: string
  readonly bucket: number
  readonly profile: Profile
  /** The result, or the `error` member. `pan` is the card number that the reader lifts out of cards.create. */
  call<M extends MethodName>(method: M, params: Params<M>, pan?: string | null): Promise<Result<M> | { error: ErrorBody }>
  /** As `call`, with the merchant id alone. */
  asPage<M extends MethodName>(
    method: M,
    params: Params<M>,
    pan?: string | null,
    origin?: string | null,
  ): Promise<Result<M> | { error: ErrorBody }>
  /** The result; throws when there is an error instead. */
  expect<M extends MethodName>(method: M, params: Params<M>, pan?: string): Promise<Result<M>>
  /** The error's `reason`; throws when there is none. */
  refused<M extends MethodName>(method: M, params: Params<M>, pan?: string | null): Promise<string>
  /** Creates a card and tells its token. */
  token(pan: string, options?: { save?: boolean; expire?: string }): Promise<string>
  /** Creates and verifies a card and tells its token. */
  verified(pan: string, options?: { save?: boolean; expire?: string }): Promise<string>
  in(profile: Profile): Caller
}

export function makeCaller(grid: Grid, merchantId: string, profile: Profile): Caller {
  const bucket = bucketOf(merchantId)
  async function callAs<M extends MethodName>(
    as: 'server' | 'browser',
    method: M,
    params: Params<M>,
    pan: string | null,
    origin: string | null = null,
  ) {
    const call: Call = {
      caller: { merchantId, bucket, as },
      ...{ profile, language: 'en', requestId: randomHex(24), address: '127.0.0.1', origin, signal: new AbortController().signal },
      cardNumber: pan === null ? null : Buffer.from(pan),
      idempotency: null,
    }
    try {
      return await grid[method].run(params, call)
    } catch (err) {
      if (!(err instanceof RpcError)) throw err
      return { error: renderError(err, { profile, language: 'en', origin: method }) }
    }
  }
  const caller: Caller = {
    ...{ merchantId, bucket, profile },
    call: (method, params, pan = null) => callAs('server', method, params, pan),
    asPage: (method, params, pan = null, origin = null) => callAs('browser', method, params, pan, origin),
    async expect(method, params, pan) {
      const reply = await caller.call(method, params, pan)
      if (isError(reply)) throw new Error(`${method} was refused: ${reply.error.reason}`)
      return reply
    },
    async refused(method, params, pan) {
      const reply = await caller.call(method, params, pan)
      if (!isError(reply)) throw new Error(`${method} was not refused`)
      return reply.error.reason
    },
    async token(pan, { save = true, expire = '0399' } = {}) {
      const { card } = await caller.expect('cards.create', { card: { number: '', expire }, save }, pan)
      return card.token
    },
    async verified(pan, options) {
      const token = await caller.token(pan, options)
      // A scenario card refuses here; the attempt is kept, and the public code is right all the same.
      await caller.call('cards.get_verify_code', { token })
      await caller.expect('cards.verify', { token, code: '666666' })
      return token
    },
    in: (other) => makeCaller(grid, merchantId, other),
  }
  return caller
}

function isError(reply: object): reply is { error: ErrorBody } {
  return 'error' in reply
}
