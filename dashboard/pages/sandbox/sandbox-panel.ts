import type { Result } from '@tessera/contract/operations'

export type SandboxState = Result<'dashboard.sandbox.get'>
export type FaultControl = SandboxState['faults'][number]

/** Runs an action, reloads the page's state, and then shows `doneText`. */
export type RunChange = (action: () => Promise<unknown>, doneText: string) => Promise<void>

/** The props of every panel of the page. */
export interface SandboxPanelProps {
  readonly sandbox: SandboxState
  readonly change: RunChange
}

/** The seconds of a step that delays the response (`late_5`), or null for any other step. */
export function delaySeconds(step: string): number | null {
  const [, seconds] = /^late_(\d+)$/.exec(step) ?? []
  return seconds === undefined ? null : Number(seconds)
}

/** The wire method at which a step of a test card's scenario fails. */
export function stepMethod(step: string): string {
  return step === 'pay' ? 'receipts.pay' : `cards.${step}`
}
