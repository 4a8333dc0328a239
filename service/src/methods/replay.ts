import { renderError, RpcError } from '@tessera/contract/errors'
import type { MethodName, Params, Result } from '@tessera/contract/methods'

import type { Testing } from '../dashboard/start.ts'
import type { RequestDetail } from '../request-log/lists.ts'
import { redactParams, redactResult, type KeptMember } from '../request-log/redact.ts'

import type { Call, Grid } from './method.ts'
import { showMembers } from './request-shown.ts'

/** Methods that are made once more; of the others some would change what is there, and one is not a merchant's own. */
const replayable = [
  'cards.create',
  'cards.get_verify_code',
  'cards.verify',
  'cards.check',
  'cards.remove',
  'receipts.create',
  'receipts.pay',
  'receipts.check',
  'receipts.get',
  'receipts.get_all',
] as const satisfies readonly MethodName[]

export type Replayable = (typeof replayable)[number]
export type ReplayGrid = Pick<Grid, Replayable>

export interface ReplayParts {
  readonly api: ReplayGrid
  readonly testing: Testing
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
}

export function isReplayable(method: string): method is Replayable {
  return replayable.some((each) => each === method)
}

/**
 * Makes a call like one of the request log: what was kept of its params, a test card in place of its number, a new token in place of its
 * token, a new receipt of the same sum to be paid. Nothing of before is touched; the calls are in the audit under the user's name.
 */
export async function replay(
  method: Replayable,
  detail: RequestDetail,
  call: Call,
  parts: ReplayParts,
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
    return method === 'cards.verify' ? { token: made, code: parts.testing.code } : { token: made }
  }

  function createParams(): Params<'cards.create'> {
    const customer = kept.get('customer')
    return {
      card: { number: '', expire: parts.testing.expire },
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
    const { card } = await step('cards.create', { card: { number: '', expire: parts.testing.expire }, save: true })
    if (isVerified) {
      await step('cards.get_verify_code', { token: card.token })
      await step('cards.verify', { token: card.token, code: parts.testing.code })
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
      const { code, reason } = renderError(err, { profile: call.profile, language: call.language, origin: name })
      steps.push({ method: name, code, reason })
      throw new StepRefused()
    }
  }

  async function answer(params: object): Promise<Result<'dashboard.requests.replay'>['answer']> {
    const began = parts.now()
    const shown = { method, params: showMembers(redactParams(method, params)) }
    const ms = (): number => Math.round(parts.now() - began)
    try {
      const result = await run(method, params as Params<typeof method>, method === 'cards.create' ? testCard() : null)
      return { ...shown, code: 0, reason: '', message: '', ms: ms(), result: showMembers(redactResult(method, result)) }
    } catch (err) {
      if (!(err instanceof RpcError)) throw err
      const { code, reason, message } = renderError(err, { profile: call.profile, language: call.language, origin: method })
      return { ...shown, code, reason, message, ms: ms(), result: { list: [], more: 0 } }
    }
  }

  async function run<M extends Replayable>(name: M, params: Params<M>, pan: Uint8Array | null): Promise<Result<M>> {
    const row: unknown = parts.api[name]
    try {
      const ran = row as { run: (params: Params<M>, call: Call) => Promise<Result<M>>; check?: (params: Params<M>, call: Call) => void }
      const asked: Call = { ...call, caller: { ...call.caller, as: 'server' }, origin: null, cardNumber: pan, idempotency: null }
      ran.check?.(params, asked)
      return await ran.run(params, asked)
    } finally {
      pan?.fill(0)
    }
  }

  /** The card whose mask was answered, where it is a test card; the first otherwise. */
  function testCard(): Uint8Array {
    const { cards } = parts.testing
    const mask = detail.result.list.find(({ path }) => path === 'card.number')?.value
    const same =
      typeof mask === 'string'
        ? cards.find(({ number }) => number.startsWith(mask.slice(0, 4)) && number.endsWith(mask.slice(-4)))
        : undefined
    return Buffer.from((same ?? cards[0])?.number ?? '', 'latin1')
  }
}

class StepRefused extends Error {}

function wordOf(value: KeptMember['value']): string | number | null {
  return typeof value === 'boolean' ? String(value) : value
}

/** 5,000 so'm. */
const amountByDefault = 500_000
