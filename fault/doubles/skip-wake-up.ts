// Preloaded: the end of an attempt does not make the next event of its object due.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/store/deliveries.ts', 'fault/doubles/deliveries-without-wake-up.ts')
