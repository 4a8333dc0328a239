// Preloaded: a service that uses the first server that accepts writes, whichever it is.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/store/postgres/fence.ts', 'fault/doubles/unfenced.ts')
