// Preloaded: calls of outside systems have no places of their own and no breaker, as before.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/domain/limits/peers.ts', 'fault/doubles/peers-without-bounds.ts')
