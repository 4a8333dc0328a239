// Preloaded: the merchant's endpoint is called before a payment, and never notified after it.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/adapters/merchant-api/observe-merchant-api.ts', 'fault/doubles/unnotified-endpoint.ts')
