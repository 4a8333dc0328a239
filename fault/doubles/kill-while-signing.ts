// Preloaded: kills the process in the middle of signing the rows from before migration 20.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/store/sqlite/sqlite.ts', 'fault/doubles/killing-signing-store.ts')
replaceModule('service/src/store/postgres/postgres.ts', 'fault/doubles/killing-signing-store.ts')
