// Preloaded: a service that starts on any files, as before their identity was noted.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/app/database-files.ts', 'fault/doubles/unchecked-files.ts')
