import type { WriteHealth } from '../../service/src/ops/health/write-health.ts'

// Loaded in place of a whole module (planted-faults.ts), so it is one.

export * from '../../service/src/ops/health/write-health.ts'
export { seeNothing as makeWriteHealth }

function seeNothing(): WriteHealth {
  return { record: () => undefined, writable: () => 'all', lastFailure: () => '' }
}
