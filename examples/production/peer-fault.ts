import type { ProductionSystem } from './system.ts'

/** Something that goes wrong while the load goes on. `begin` returns what ends it. */
export interface PeerFault {
  readonly peer: string
  readonly what: string
  begin: (system: ProductionSystem) => Promise<() => Promise<void>>
}
