// Preloaded: a slow processor. The processor is outside of the service, and how fast it is depends on the machine, so its speed is planted.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/server/reader/read-calls.ts', 'fault/doubles/slow-read-calls.ts')
