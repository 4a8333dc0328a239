// Preloaded: counts an attempt at a code after it was allowed.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/store/sqlite/sqlite.ts', 'fault/doubles/late-counting-store.ts')
replaceModule('service/src/store/postgres/postgres.ts', 'fault/doubles/late-counting-store.ts')
