import { RpcError } from '@tessera/contract/errors'

import type { Controls } from '../dashboard/controls.ts'

/** The controls of the test environment; production has none. */
export function expectControls(controls: Controls | null): Controls {
  if (controls === null) throw new RpcError('testOnly')
  return controls
}

/** A sentence says why nothing was done. */
export function expectSet(refusal: string | null): void {
  if (refusal !== null) throw new RpcError('settingRefused', { data: refusal })
}
