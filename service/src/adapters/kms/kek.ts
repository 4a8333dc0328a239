import type { AdapterDependencies } from '../adapter.ts'

// The port itself is vault/src/kek.ts.

/** What a provider of the key encryption key may use. */
export interface KekAdapterDependencies extends AdapterDependencies {
  /** Whether a key may be created when there is none. False when something is stored that only the right key opens. */
  readonly mayCreate: boolean
  /** Like `log`, at level warn: something that an operator has to look at. */
  readonly warn: AdapterDependencies['log']
}
