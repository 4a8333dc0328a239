import type { Controls } from '../dashboard/controls.ts'

import type { Row } from './method.ts'
import { expectControls, expectSet } from './sandbox-deed.ts'
import { doerOf } from './signed-in.ts'

/** Moves the time of the test environment. */
export function dashboardSandboxMoveClock(controls: Controls | null): Row<'dashboard.sandbox.moveClock'>['run'] {
  return async ({ offsetMs }, call) => {
    expectSet(await expectControls(controls).moveClock(call.caller.merchantId, offsetMs, doerOf(call)))
    return { success: true }
  }
}
