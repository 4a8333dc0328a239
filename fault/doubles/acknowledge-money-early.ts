// Preloaded: acknowledges each step of a payment 20 ms before COMMIT.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/store/sqlite/sqlite.ts', 'fault/doubles/early-money-store.ts')
replaceModule('service/src/store/postgres/postgres.ts', 'fault/doubles/early-money-store.ts')
