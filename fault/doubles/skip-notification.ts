// Preloaded: merchants are asked before a payment, and never notified after it.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/adapters/merchant-api/observe-merchant-api.ts', 'fault/doubles/unnotified-endpoint.ts')
