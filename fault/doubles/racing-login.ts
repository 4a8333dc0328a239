// Preloaded: a start that takes a login which another process created at the same moment for an error.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/domain/users/ensure-login.ts', 'fault/doubles/racing-ensure-login.ts')
