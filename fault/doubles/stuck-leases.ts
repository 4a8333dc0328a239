// Preloaded: a request that ends without an outcome leaves its lease, so that its duplicates wait for the end of it.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/store/idempotency.ts', 'fault/doubles/lease-not-ended.ts')
