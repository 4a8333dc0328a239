// Preloaded: the thread that answers requests reads and writes the key store itself.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/store/sqlite/keys.ts', 'fault/doubles/synchronous-key-store.ts')
