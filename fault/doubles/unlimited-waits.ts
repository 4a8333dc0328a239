// Preloaded: reads and writes wait for their database as long as it takes.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/store/time-limits.ts', 'fault/doubles/unlimited-time-limits.ts')
