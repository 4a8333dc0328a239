// Preloaded: acknowledges a card 20 ms before COMMIT.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/store/sqlite/sqlite.ts', 'fault/doubles/early-store.ts')
replaceModule('service/src/store/postgres/postgres.ts', 'fault/doubles/early-store.ts')
