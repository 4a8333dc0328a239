import type { Controls } from '../dashboard/controls.ts'

import type { Row } from './method.ts'
import { expectControls, expectSet } from './sandbox-deed.ts'
import { doerOf } from './signed-in.ts'

/** Switches the limits that a merchant rehearses on or off. */
export function dashboardSandboxSetLimits(controls: Controls | null): Row<'dashboard.sandbox.setLimits'>['run'] {
  return async ({ on }, call) => {
    expectSet(await expectControls(controls).setLimits(call.caller.merchantId, on, doerOf(call)))
    return { success: true }
  }
}
