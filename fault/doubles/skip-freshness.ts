// Preloaded: a service that does not follow the audit chains.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/domain/freshness/chain-follower.ts', 'fault/doubles/no-chain-follower.ts')
