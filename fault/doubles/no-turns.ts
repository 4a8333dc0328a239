// Preloaded: every call is begun at once, however many arrive in one turn of the event loop.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/server/http/turn-budget.ts', 'fault/doubles/endless-turns.ts')
