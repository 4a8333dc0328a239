import {
  operatorSharesCreateContract,
  operatorSharesEnterContract,
  operatorSharesListContract,
  operatorSharesTakeContract,
} from '@tessera/contract/operations/operator-custody'

import { CustodyRefusal } from '../domain/custody/custody.ts'
import type { AuditActor, RequestContext } from '../domain/request-context.ts'

import { operation } from './operation.ts'
import { isoTime, refusal } from './operator.ts'

/** Lists the sets of shares, oldest first. */
export const operatorSharesList = operation(operatorSharesListContract, {
  async run(_params, _ctx, { custody, readReadiness }) {
    const { state } = await readReadiness()
    const sets = (await custody.list()).map((set) => ({ ...set, createdAt: isoTime(set.createdAt) }))
    return { isSealed: state === 'sealed', sets }
  },
})

/** Begins a set of shares. Audited. */
export const operatorSharesCreate = operation(operatorSharesCreateContract, {
  async run({ shares, threshold, isNext, custodian }, ctx, { custody }) {
    if (threshold > shares) throw refusal('shares_size')
    if (!isNext && custody.openKeks().length > 0) throw refusal('shares_needless')
    const { setId } = expectDone(await custody.createSet({ shares, threshold }, actorOf(ctx, custodian)))
    return { setId, shares, threshold }
  },
})

/** Shows a share once. The audit has the custodian and the index before it is shown. */
export const operatorSharesTake = operation(operatorSharesTakeContract, {
  run: async ({ custodian }, ctx, { custody }) => expectDone(await custody.takeShare(actorOf(ctx, custodian))),
})

/** Takes a share. The audit has the custodian and the index, and whether it was refused. */
export const operatorSharesEnter = operation(operatorSharesEnterContract, {
  async run({ share, custodian }, ctx, { custody, keks }) {
    const entered = expectDone(await custody.enterShare(share, actorOf(ctx, custodian)))
    // Other processes learn at once that this one has the KEK. While the service is sealed it does so when it starts.
    if (entered.isOpen) await keks?.update()
    return entered
  },
})

function actorOf({ requestId, address }: RequestContext, custodian: string): AuditActor {
  return { actor: `custodian:${custodian}`, requestId, address }
}

function expectDone<T>(result: T | CustodyRefusal): T {
  if (result instanceof CustodyRefusal) throw refusal(result.reason, result.detail)
  return result
}
