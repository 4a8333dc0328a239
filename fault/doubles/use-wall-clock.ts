// Preloaded: measures every duration by the wall clock.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/system-clock.ts', 'fault/doubles/wall-clock.ts')
