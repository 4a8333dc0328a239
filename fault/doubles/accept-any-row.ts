// Preloaded: does not compare the MACs of rows.
import { replaceModule } from './replace-module.ts'

replaceModule('vault/src/rowmac.ts', 'fault/doubles/unchecked-row-mac.ts')
