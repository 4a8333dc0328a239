// Preloaded: continues after an I/O error within a commit.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/store/sqlite/fault.ts', 'fault/doubles/lenient-fault.ts')
