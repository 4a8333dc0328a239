import type { Controls } from '../dashboard/controls.ts'

import type { Row } from './method.ts'
import { expectControls, expectSet } from './sandbox-deed.ts'
import { doerOf } from './signed-in.ts'

/** Sets one control of the sandbox. */
export function dashboardSandboxSetStep(controls: Controls | null): Row<'dashboard.sandbox.setStep'>['run'] {
  return async (asked, call) => {
    expectSet(await expectControls(controls).setStep(call.caller.merchantId, asked, doerOf(call)))
    return { success: true }
  }
}
