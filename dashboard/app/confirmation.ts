import { signal } from '@preact/signals'

/** A call waits until the user has confirmed who they are; `ConfirmIdentityDialog` is open. */
export interface PendingConfirmation {
  /** True when the user has confirmed, false when they closed the dialog. */
  done(isConfirmed: boolean): void
}

export const pendingConfirmation = signal<PendingConfirmation | null>(null)

let pending: Promise<boolean> | null = null

/** Opens the dialog. Calls that need a confirmation at the same time share it. */
export function askForConfirmation(): Promise<boolean> {
  pending ??= new Promise<boolean>((resolve) => {
    pendingConfirmation.value = {
      done(isConfirmed) {
        pendingConfirmation.value = null
        pending = null
        resolve(isConfirmed)
      },
    }
  })
  return pending
}
