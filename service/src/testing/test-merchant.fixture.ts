import type { Profile } from '@tessera/contract/envelope'
import { renderError, RpcError, type ErrorBody } from '@tessera/contract/errors'
import type { OperationName, Params, Result } from '@tessera/contract/operations'
import { bucketOf } from '@tessera/vault/id'

import type { ComposedServices } from '../app/services.ts'
import { findOperationByName, runOperation, withFineLimits } from '../operations/operation.ts'
import { operationRegistry } from '../operations/registry.ts'
import { makeTestContext } from './request-context.fixture.ts'

/** A merchant's page and server in one: calls operations and returns replies as over the wire. */
export interface TestMerchant {
  readonly merchantId: string
  readonly bucket: number
  readonly profile: Profile
  /** The result, or the `error` member. `pan` is the card number that the reader extracts from cards.create. */
  callRaw<M extends OperationName>(method: M, params: Params<M>, pan?: string | null): Promise<Result<M> | { error: ErrorBody }>
  /** Like `call`, with only the merchant id. */
  asPage<M extends OperationName>(
    method: M,
    params: Params<M>,
    pan?: string | null,
    origin?: string | null,
  ): Promise<Result<M> | { error: ErrorBody }>
  /** The result; throws if there is an error. */
  call<M extends OperationName>(method: M, params: Params<M>, pan?: string): Promise<Result<M>>
  /** The `reason` of the error; throws if there is none. */
  expectError<M extends OperationName>(method: M, params: Params<M>, pan?: string | null): Promise<string>
  /** Creates a card and returns its token. */
  createToken(pan: string, options?: { save?: boolean; expire?: string }): Promise<string>
  /** Creates and verifies a card and returns its token. */
  createVerifiedToken(pan: string, options?: { save?: boolean; expire?: string }): Promise<string>
  withProfile(profile: Profile): TestMerchant
}

export function createTestMerchant(app: ComposedServices, merchantId: string, profile: Profile): TestMerchant {
  const bucket = bucketOf(merchantId)
  async function callAs<M extends OperationName>(
    kind: 'server' | 'browser',
    method: M,
    params: Params<M>,
    pan: string | null,
    origin: string | null = null,
  ) {
    const caller = { merchantId, bucket, kind }
    const ctx = makeTestContext(merchantId, { caller, profile, origin, cardNumber: pan === null ? null : Buffer.from(pan) })
    try {
      const bound = { operation: findOperationByName(operationRegistry, method), params, app }
      return await withFineLimits(bound, ctx, () => runOperation(bound, ctx))
    } catch (err) {
      if (!(err instanceof RpcError)) throw err
      return { error: renderError(err, { profile, language: 'en', origin: method }) }
    }
  }
  const caller: TestMerchant = {
    merchantId,
    bucket,
    profile,
    callRaw: (method, params, pan = null) => callAs('server', method, params, pan),
    asPage: (method, params, pan = null, origin = null) => callAs('browser', method, params, pan, origin),
    async call(method, params, pan) {
      const reply = await caller.callRaw(method, params, pan)
      if (isError(reply)) throw new Error(`${method} was refused: ${reply.error.reason}`)
      return reply
    },
    async expectError(method, params, pan) {
      const reply = await caller.callRaw(method, params, pan)
      if (!isError(reply)) throw new Error(`${method} was not refused`)
      return reply.error.reason
    },
    async createToken(pan, { save = true, expire = '0399' } = {}) {
      const { card } = await caller.call('cards.create', { card: { number: '', expire }, save }, pan)
      return card.token
    },
    async createVerifiedToken(pan, options) {
      const token = await caller.createToken(pan, options)
      // A scenario card refuses here; the attempt is stored, and the public code is still right.
      await caller.callRaw('cards.get_verify_code', { token })
      await caller.call('cards.verify', { token, code: '666666' })
      return token
    },
    withProfile: (other) => createTestMerchant(app, merchantId, other),
  }
  return caller
}

function isError(reply: object): reply is { error: ErrorBody } {
  return 'error' in reply
}
