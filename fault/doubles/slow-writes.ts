// Preloaded: the store takes fifty writes a second.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/store/sqlite/sqlite.ts', 'fault/doubles/slow-store.ts')
replaceModule('service/src/store/postgres/postgres.ts', 'fault/doubles/slow-store.ts')
