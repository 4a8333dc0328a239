// Preloaded: nobody sees that another process has ended, so duplicates of its calls wait for their leases.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/domain/idempotency/processes.ts', 'fault/doubles/processes-unseen.ts')
