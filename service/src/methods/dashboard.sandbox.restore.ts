import type { Controls } from '../dashboard/controls.ts'

import type { Row } from './method.ts'
import { expectControls } from './sandbox-deed.ts'
import { doerOf } from './signed-in.ts'

/** Takes every control of the caller's sandbox back to normal. */
export function dashboardSandboxRestore(controls: Controls | null): Row<'dashboard.sandbox.restore'>['run'] {
  return async (_params, call) => {
    await expectControls(controls).restore(call.caller.merchantId, doerOf(call))
    return { success: true }
  }
}
