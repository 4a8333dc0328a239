import {
  operatorNodesEnrollContract,
  operatorNodesListContract,
  operatorNodesRevokeContract,
  operatorSharesCreateContract,
  operatorSharesEnterContract,
  operatorSharesFetchContract,
  operatorSharesListContract,
  operatorSharesTakeContract,
} from '@tessera/contract/operations/operator-custody'

import { rewrapPurpose } from '../domain/custody/custody.ts'
import { CustodyRefusal } from '../domain/custody/custody-refusal.ts'
import { EnrolledNodesRefused, fingerprintOf, type EnrolledNodes } from '../domain/custody/enrolled-nodes.ts'
import type { AuditActor, RequestContext } from '../domain/request-context.ts'

import { operation } from './operation.ts'
import { isoTime, refusal } from './operator.ts'

/** Lists the sets of shares, oldest first. */
export const operatorSharesList = operation(operatorSharesListContract, {
  async run(_params, _ctx, { custody, readReadiness }) {
    const { state } = await readReadiness()
    const sets = (await custody.list()).map(({ kekId: _kekId, ...set }) => ({ ...set, createdAt: isoTime(set.createdAt) }))
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
  async run({ share, custodian, isForRewrap = false }, ctx, { custody, keys, keks }) {
    const target = isForRewrap ? keys.rewrapTarget() : null
    if (isForRewrap && target === null) throw refusal('rewrap_no_next')
    const entered = expectDone(await custody.enterShare(share, actorOf(ctx, custodian), target === null ? '' : rewrapPurpose(target)))
    // Other processes learn at once that this one has the KEK. While the service is sealed it does so when it starts.
    if (entered.isOpen) await keks?.update()
    return entered
  },
})

/** Gets the KEKs of other nodes that this one does not have. */
export const operatorSharesFetch = operation(operatorSharesFetchContract, {
  async run(_params, _ctx, { custody, handOver, keks }) {
    if (handOver === null) throw refusal('hand_over_not_set')
    const missing = (await custody.list()).filter(({ isOpen, untaken }) => !isOpen && untaken === 0).map(({ setId }) => setId)
    const opened = await handOver.fetch(missing)
    await keks?.update()
    return { opened }
  },
})

/** Lists the enrolled nodes. */
export const operatorNodesList = operation(operatorNodesListContract, {
  async run(_params, _ctx, { nodes }) {
    const list = await refuseForeignLists(requireNodes(nodes).list())
    return {
      nodes: list.map(({ name, publicKey, enrolledAt, revokedAt }) => ({
        name,
        fingerprint: fingerprintOf(publicKey),
        enrolledAt: isoTime(enrolledAt),
        revokedAt: revokedAt === null ? null : isoTime(revokedAt),
      })),
    }
  },
})

/** Enrols a node when as many custodians as the threshold have entered their shares for this name and key. Audited. */
export const operatorNodesEnroll = operation(operatorNodesEnrollContract, {
  async run({ name, publicKey, share, custodian }, ctx, { custody, custodyAudit, nodes }) {
    const [enrolled, by] = [requireNodes(nodes), actorOf(ctx, custodian)]
    const { received, threshold, isOpen } = expectDone(await custody.enterShare(share, by, `enroll ${name} ${publicKey}`))
    if (isOpen) {
      await custodyAudit.record(by, { action: 'node.enrolled', subject: name, outcome: 'done' })
      await refuseForeignLists(enrolled.enroll({ name, publicKey }))
    }
    return { name, fingerprint: fingerprintOf(publicKey), received, threshold, isEnrolled: isOpen }
  },
})

/** Revokes a node; any operator may. Audited. */
export const operatorNodesRevoke = operation(operatorNodesRevokeContract, {
  async run({ name }, { actor, requestId, address }, { custodyAudit, nodes }) {
    const enrolled = requireNodes(nodes)
    await custodyAudit.record({ actor, requestId, address }, { action: 'node.revoked', subject: name, outcome: 'done' })
    if (!(await refuseForeignLists(enrolled.revoke(name)))) throw refusal('node_unknown', name)
    return { success: true }
  },
})

function requireNodes(nodes: EnrolledNodes | null): EnrolledNodes {
  if (nodes === null) throw refusal('nodes_unavailable')
  return nodes
}

async function refuseForeignLists<T>(run: Promise<T>): Promise<T> {
  try {
    return await run
  } catch (err) {
    if (err instanceof EnrolledNodesRefused) throw refusal('nodes_refused', err.message)
    throw err
  }
}

function actorOf({ requestId, address }: RequestContext, custodian: string): AuditActor {
  return { actor: `custodian:${custodian}`, requestId, address }
}

function expectDone<T>(result: T | CustodyRefusal): T {
  if (result instanceof CustodyRefusal) throw refusal(result.reason, result.detail)
  return result
}
