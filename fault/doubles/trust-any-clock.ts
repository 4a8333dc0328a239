// Preloaded: whatever the clock says is a reason to destroy.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/domain/clock-guard.ts', 'fault/doubles/trusting-clock-guard.ts')
