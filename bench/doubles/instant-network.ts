// Preloaded: a card network that approves at once.
import { replaceModule } from '../../fault/doubles/replace-module.ts'

replaceModule('service/src/adapters/network/network-adapters.ts', 'bench/doubles/instant-network-adapters.ts')
