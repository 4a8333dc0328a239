import { renderError, RpcError } from '@tessera/contract/errors'
import type { Params, Result } from '@tessera/contract/operations'

import type { TestCredentials } from '../domain/reporting/getting-started.ts'
import type { RequestContext } from '../domain/request-context.ts'
import type { RequestDetail } from '../ops/request-log/request-row.ts'
import { redactParams, redactResult, type RedactedMember } from '../ops/request-log/redact.ts'

import type { AppServices } from './app-services.ts'
import { cardsCheck } from './cards.check.ts'
import { cardsCreate } from './cards.create.ts'
import { cardsGetVerifyCode } from './cards.get_verify_code.ts'
import { cardsRemove } from './cards.remove.ts'
import { cardsVerify } from './cards.verify.ts'
import { runOperation, withFineLimits, type Operation } from './operation.ts'
import { receiptsCheck } from './receipts.check.ts'
import { receiptsCreate } from './receipts.create.ts'
import { receiptsGetAll } from './receipts.get_all.ts'
import { receiptsGet } from './receipts.get.ts'
import { receiptsPay } from './receipts.pay.ts'
import { sampleAccount } from './sample-account.ts'

/**
 * Operations that can be replayed. Others would change existing data, or are not called by merchants. Not taken from the registry, which has the operation
 * that replays them.
 */
const replayable = {
  'cards.create': cardsCreate,
  'cards.get_verify_code': cardsGetVerifyCode,
  'cards.verify': cardsVerify,
  'cards.check': cardsCheck,
  'cards.remove': cardsRemove,
  'receipts.create': receiptsCreate,
  'receipts.pay': receiptsPay,
  'receipts.check': receiptsCheck,
  'receipts.get': receiptsGet,
  'receipts.get_all': receiptsGetAll,
} as const

export type Replayable = keyof typeof replayable

export interface ReplayDependencies {
  readonly app: AppServices
  readonly testing: TestCredentials
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

export function isReplayable(method: string): method is Replayable {
  return Object.hasOwn(replayable, method)
}

/**
 * Makes a call like one of the request log, from the params that were stored: with a test card for its card number, a new token for its token, and a new
 * receipt of the same amount for its receipt. Existing data is not changed. The calls are audited under the user.
 */
export async function replay(
  method: Replayable,
  detail: RequestDetail,
  ctx: RequestContext,
  deps: ReplayDependencies,
): Promise<Result<'dashboard.requests.replay'>> {
  const steps: Result<'dashboard.requests.replay'>['steps'] = []
  const storedParams = new Map(detail.params.list.filter(({ hidden }) => hidden === null).map(({ path, value }) => [path, value]))
  try {
    const params = await buildParams()
    return { steps, reply: await runReplay(params) }
  } catch (err) {
    if (err instanceof ReplayStepError) return { steps, reply: null }
    throw err
  }

  async function buildParams(): Promise<object> {
    if (method === 'cards.create') return createParams()
    if (method === 'receipts.create') return receiptParams(storedNumber('amount') ?? defaultAmountTiyin)
    if (method === 'receipts.pay') {
      const { receipt } = await step('receipts.create', await likePaidReceipt())
      return { id: receipt._id, token: await token(true), ...(storedParams.get('hold') === true ? { hold: true } : {}) }
    }
    if (method === 'receipts.check' || method === 'receipts.get') return { id: storedParams.get('id') ?? '' }
    if (method === 'receipts.get_all') {
      return {
        count: storedNumber('count') ?? 10,
        from: storedTimestamp('from'),
        to: storedTimestamp('to'),
        offset: storedNumber('offset') ?? 0,
      }
    }
    const made = await token(method === 'cards.remove')
    if (method === 'cards.verify') await step('cards.get_verify_code', { token: made })
    return method === 'cards.verify' ? { token: made, code: deps.testing.code } : { token: made }
  }

  function createParams(): Params<'cards.create'> {
    const customer = storedParams.get('customer')
    return {
      card: { number: '', expire: deps.testing.expire },
      ...(typeof storedParams.get('save') === 'boolean' ? { save: storedParams.get('save') === true } : {}),
      ...(typeof customer === 'string' ? { customer } : {}),
      ...storedAccount(),
    }
  }

  async function receiptParams(amountTiyin: number): Promise<Params<'receipts.create'>> {
    const { account = {} } = storedAccount()
    return { amount: amountTiyin, ...(await acceptableAccount(account)), ...(storedParams.get('hold') === true ? { hold: true } : {}) }
  }

  /** What is stored of the account fields, and something for required ones that are not stored or were added since. */
  async function acceptableAccount(stored: AccountValues): Promise<{ account?: AccountValues }> {
    const fields = (await deps.app.merchants.find(ctx.merchantId))?.settings.accountFields ?? []
    const account = sampleAccount(fields, stored)
    return Object.keys(account).length === 0 ? {} : { account }
  }

  function storedAccount(): { account?: AccountValues } {
    const fields = detail.params.list.filter(({ path, hidden }) => hidden === null && path.startsWith('account.'))
    if (fields.length === 0) return {}
    return { account: Object.fromEntries(fields.map(({ path, value }) => [path.slice('account.'.length), toAccountValue(value)])) }
  }

  function storedNumber(path: string): number | null {
    const value = storedParams.get(path)
    return typeof value === 'number' ? value : null
  }

  function storedTimestamp(path: string): number {
    const value = storedParams.get(path)
    return typeof value === 'string' ? Date.parse(value) : 0
  }

  /** Amount and account of the paid receipt, if it still exists. */
  async function likePaidReceipt(): Promise<Params<'receipts.create'>> {
    const id = storedParams.get('id')
    const found = typeof id === 'string' ? await run('receipts.get', { id }, null).catch(() => null) : null
    const account = Object.fromEntries((found?.receipt.account ?? []).map(({ name, value }) => [name, value]))
    return { amount: found?.receipt.amount ?? defaultAmountTiyin, ...(await acceptableAccount(account)) }
  }

  async function token(isVerified: boolean): Promise<string> {
    const { card } = await step('cards.create', { card: { number: '', expire: deps.testing.expire }, save: true })
    if (isVerified) {
      await step('cards.get_verify_code', { token: card.token })
      await step('cards.verify', { token: card.token, code: deps.testing.code })
    }
    return card.token
  }

  async function step<M extends Replayable>(name: M, params: Params<M>): Promise<Result<M>> {
    try {
      const result = await run(name, params, name === 'cards.create' ? testCard() : null)
      steps.push({ method: name, code: 0, reason: '' })
      return result
    } catch (err) {
      if (!(err instanceof RpcError)) throw err
      const { code, reason } = renderError(err, { profile: ctx.profile, language: ctx.language, origin: name })
      steps.push({ method: name, code, reason })
      throw new ReplayStepError()
    }
  }

  async function runReplay(params: object): Promise<Result<'dashboard.requests.replay'>['reply']> {
    const began = deps.now()
    const redactedCall = { method, params: toMembers(redactParams(method, params)) }
    const ms = (): number => Math.round(deps.now() - began)
    try {
      const result = await run(method, params as Params<typeof method>, method === 'cards.create' ? testCard() : null)
      return { ...redactedCall, code: 0, reason: '', message: '', ms: ms(), result: toMembers(redactResult(method, result)) }
    } catch (err) {
      if (!(err instanceof RpcError)) throw err
      const { code, reason, message } = renderError(err, { profile: ctx.profile, language: ctx.language, origin: method })
      return { ...redactedCall, code, reason, message, ms: ms(), result: { list: [], more: 0 } }
    }
  }

  async function run<M extends Replayable>(name: M, params: Params<M>, pan: Uint8Array | null): Promise<Result<M>> {
    const found: unknown = replayable[name]
    const operation = found as Operation<M>
    const { app } = deps
    try {
      const replayedCtx = { ...ctx, caller: { ...ctx.caller, kind: 'server' as const }, origin: null, cardNumber: pan, idempotency: null }
      operation.check?.(params, replayedCtx, app)
      const bound = { operation, params, app }
      return await withFineLimits(bound, replayedCtx, () => runOperation(bound, replayedCtx))
    } finally {
      pan?.fill(0)
    }
  }

  /** The test card with the mask of the stored result; otherwise the first one. */
  function testCard(): Uint8Array {
    const { cards } = deps.testing
    const mask = detail.result.list.find(({ path }) => path === 'card.number')?.value
    const matching =
      typeof mask === 'string'
        ? cards.find(({ number }) => number.startsWith(mask.slice(0, 4)) && number.endsWith(mask.slice(-4)))
        : undefined
    return Buffer.from((matching ?? cards[0])?.number ?? '', 'latin1')
  }
}

type AccountValues = Record<string, string | number | null>

class ReplayStepError extends Error {}

function toAccountValue(value: RedactedMember['value']): string | number | null {
  return typeof value === 'boolean' ? String(value) : value
}

/** 5,000 so'm. */
const defaultAmountTiyin = 500_000

type RequestMembers = Result<'dashboard.requests.get'>['params']

/** Redacted params or a redacted result, for the dashboard. */
export function toMembers({ list, more }: RequestDetail['params']): RequestMembers {
  return { list: list.map((member) => ({ ...member })), more }
}
