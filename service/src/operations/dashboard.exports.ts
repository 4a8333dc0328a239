import { RpcError } from '@tessera/contract/errors'
import { dashboardExportsFinishContract, dashboardExportsStartContract } from '@tessera/contract/operations/dashboard-audit'

import { signedInActor } from './dashboard-caller.ts'
import { operation } from './operation.ts'

/** Records the beginning of an export. */
export const dashboardExportsStart = operation(dashboardExportsStartContract, {
  run: async (begun, ctx, { dashboard: { exportLog } }) => ({ exportId: await exportLog.start(signedInActor(ctx), begun) }),
})

/** Records the end of an export that the same user began. */
export const dashboardExportsFinish = operation(dashboardExportsFinishContract, {
  async run({ exportId, ...end }, ctx, { dashboard: { exportLog } }) {
    if (!(await exportLog.finish(signedInActor(ctx), exportId, end))) throw new RpcError('memberInvalid', { data: 'exportId' })
    return { success: true }
  },
})
