// Preloaded: a service whose readiness does not see that writes fail.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/ops/health/write-health.ts', 'fault/doubles/blind-write-health.ts')
