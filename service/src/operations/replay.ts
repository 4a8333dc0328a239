import { renderError, RpcError } from '@tessera/contract/errors'
import type { Params, Result } from '@tessera/contract/operations'

import type { AppServices } from '../app/services.ts'
import type { TestCredentials } from '../domain/reporting/getting-started.ts'
import type { RequestContext } from '../domain/request-context.ts'
import type { RequestDetail } from '../ops/request-log/request-lists.ts'
import { redactParams, redactResult, type RedactedMember } from '../ops/request-log/redact.ts'

import { cardsCheck } from './cards.check.ts'
import { cardsCreate } from './cards.create.ts'
import { cardsGetVerifyCode } from './cards.get_verify_code.ts'
import { cardsRemove } from './cards.remove.ts'
import { cardsVerify } from './cards.verify.ts'
import { withFineLimits } from './fine-limits.ts'
import { runOperation, type Operation } from './operation.ts'
import { receiptsCheck } from './receipts.check.ts'
import { receiptsCreate } from './receipts.create.ts'
import { receiptsGetAll } from './receipts.get_all.ts'
import { receiptsGet } from './receipts.get.ts'
import { receiptsPay } from './receipts.pay.ts'
import { toMembers } from './request-entry.ts'

/** Operations that can be repeated. The others would change what is there, or are not a merchant's own. */
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
 * Makes a call like one of the request log: what was kept of its params, a test card in place of its number, a new token in place of its
 * token, a new receipt of the same sum to be paid. Nothing of before is touched; the calls are in the audit under the user's name.
 */
export async function replay(
  method: Replayable,
  detail: RequestDetail,
  ctx: RequestContext,
  deps: ReplayDependencies,
): Promise<Result<'dashboard.requests.replay'>> {
  const steps: Result<'dashboard.requests.replay'>['steps'] = []
  const kept = new Map(detail.params.list.filter(({ hidden }) => hidden === null).map(({ path, value }) => [path, value]))
  try {
    const params = await paramsOf()
    return { steps, answer: await answer(params) }
  } catch (err) {
    if (err instanceof StepRefused) return { steps, answer: null }
    throw err
  }

  async function paramsOf(): Promise<object> {
    if (method === 'cards.create') return createParams()
    if (method === 'receipts.create') return receiptParams(numberOf('amount') ?? amountByDefault)
    if (method === 'receipts.pay') {
      const { receipt } = await step('receipts.create', { amount: await amountOf() })
      return { id: receipt._id, token: await token(true), ...(kept.get('hold') === true ? { hold: true } : {}) }
    }
    if (method === 'receipts.check' || method === 'receipts.get') return { id: kept.get('id') ?? '' }
    if (method === 'receipts.get_all') {
      return { count: numberOf('count') ?? 10, from: momentOf('from'), to: momentOf('to'), offset: numberOf('offset') ?? 0 }
    }
    const made = await token(method === 'cards.remove')
    if (method === 'cards.verify') await step('cards.get_verify_code', { token: made })
    return method === 'cards.verify' ? { token: made, code: deps.testing.code } : { token: made }
  }

  function createParams(): Params<'cards.create'> {
    const customer = kept.get('customer')
    return {
      card: { number: '', expire: deps.testing.expire },
      ...(typeof kept.get('save') === 'boolean' ? { save: kept.get('save') === true } : {}),
      ...(typeof customer === 'string' ? { customer } : {}),
      ...accountOf(),
    }
  }

  function receiptParams(amountTiyin: number): Params<'receipts.create'> {
    return { amount: amountTiyin, ...accountOf(), ...(kept.get('hold') === true ? { hold: true } : {}) }
  }

  function accountOf(): { account?: Record<string, string | number | null> } {
    const fields = detail.params.list.filter(({ path, hidden }) => hidden === null && path.startsWith('account.'))
    if (fields.length === 0) return {}
    return { account: Object.fromEntries(fields.map(({ path, value }) => [path.slice('account.'.length), wordOf(value)])) }
  }

  function numberOf(path: string): number | null {
    const value = kept.get(path)
    return typeof value === 'number' ? value : null
  }

  function momentOf(path: string): number {
    const value = kept.get(path)
    return typeof value === 'string' ? Date.parse(value) : 0
  }

  /** What the paid receipt was about, where it is still there. */
  async function amountOf(): Promise<number> {
    const id = kept.get('id')
    if (typeof id !== 'string') return amountByDefault
    const found = await run('receipts.get', { id }, null).catch(() => null)
    return found === null ? amountByDefault : found.receipt.amount
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
      throw new StepRefused()
    }
  }

  async function answer(params: object): Promise<Result<'dashboard.requests.replay'>['answer']> {
    const began = deps.now()
    const shown = { method, params: toMembers(redactParams(method, params)) }
    const ms = (): number => Math.round(deps.now() - began)
    try {
      const result = await run(method, params as Params<typeof method>, method === 'cards.create' ? testCard() : null)
      return { ...shown, code: 0, reason: '', message: '', ms: ms(), result: toMembers(redactResult(method, result)) }
    } catch (err) {
      if (!(err instanceof RpcError)) throw err
      const { code, reason, message } = renderError(err, { profile: ctx.profile, language: ctx.language, origin: method })
      return { ...shown, code, reason, message, ms: ms(), result: { list: [], more: 0 } }
    }
  }

  async function run<M extends Replayable>(name: M, params: Params<M>, pan: Uint8Array | null): Promise<Result<M>> {
    const found: unknown = replayable[name]
    const operation = found as Operation<M>
    const { app } = deps
    try {
      const replayedCtx = { ...ctx, caller: { ...ctx.caller, as: 'server' as const }, origin: null, cardNumber: pan, idempotency: null }
      operation.check?.(params, replayedCtx, app)
      const bound = { operation, params, app }
      return await withFineLimits(bound, replayedCtx, () => runOperation(bound, replayedCtx))
    } finally {
      pan?.fill(0)
    }
  }

  /** The card whose mask was answered, where it is a test card; the first otherwise. */
  function testCard(): Uint8Array {
    const { cards } = deps.testing
    const mask = detail.result.list.find(({ path }) => path === 'card.number')?.value
    const same =
      typeof mask === 'string'
        ? cards.find(({ number }) => number.startsWith(mask.slice(0, 4)) && number.endsWith(mask.slice(-4)))
        : undefined
    return Buffer.from((same ?? cards[0])?.number ?? '', 'latin1')
  }
}

class StepRefused extends Error {}

function wordOf(value: RedactedMember['value']): string | number | null {
  return typeof value === 'boolean' ? String(value) : value
}

/** 5,000 so'm. */
const amountByDefault = 500_000
