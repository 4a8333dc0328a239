// Preloaded: deliveries to all endpoints share 64 places, and nobody notices that an endpoint does not answer, as before.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/domain/webhooks/settings.ts', 'fault/doubles/one-pool-settings.ts')
replaceModule('service/src/domain/webhooks/endpoint-pace.ts', 'fault/doubles/no-pace.ts')
