// Preloaded: a password comparison that returns early.
import { replaceModule } from '../../fault/doubles/replace-module.ts'

replaceModule('vault/src/credential.ts', 'bench/doubles/early-return-credential.ts')
