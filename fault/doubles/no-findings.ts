// Preloaded: a service whose check of the store finds nothing, and whose start takes any files.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/ops/audit/check.ts', 'fault/doubles/silent-check.ts')
replaceModule('service/src/app/database-files.ts', 'fault/doubles/unchecked-files.ts')
